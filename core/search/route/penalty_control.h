// Penalties of broken limits that follow how many plans keep to them.
#pragma once

#include <cstdint>

#include "core/search/model/penalties.h"

namespace vrp {

// Raises a penalty while fewer plans than a target share keep to its limit, and lowers it while
// more do (Vidal et al. 2012, "A hybrid genetic algorithm for multidepot and periodic vehicle
// routing problems", section 4.5). Each stays within fixed multiples of its first value, so the
// units of loads, times and distances do not matter. Not thread-safe.
class PenaltyControl {
 public:
  struct Options {
    int32_t window = 50;      // plans after which penalties are adapted
    double tolerance = 0.05;  // of the share: within it a penalty stays as it is
  };
  PenaltyControl(const Penalties& first, const Options& options)
      : options_(options), first_(first), penalties_(first) {}

  const Penalties& penalties() const { return penalties_; }
  // Returns the penalties for a descent that is to make an infeasible plan feasible.
  Penalties Repairing() const;

  // Records which limits a plan keeps to. Returns whether the penalties were adapted.
  bool Record(const LimitExcess& excess);

 private:
  void Adapt(double Penalties::*kind);

  const Options options_;
  const Penalties first_;
  Penalties penalties_;
  Penalties kept_;  // plans since the last adaptation that keep to each limit
  int32_t plans_ = 0;
};

}  // namespace vrp
