// Units that no vehicle can serve alone, and the routes that serve them along with others.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/stop.h"
#include "core/problem/instance/instance.h"

namespace vrp {

class Problem;

// Customers in the order of their visits: all of some units. At least one vehicle can drive it.
using Detour = std::vector<NodeIndex>;

// Immutable after Create; thread-safe.
class Detours {
 public:
  enum class Reach : char {
    kAlone,     // some vehicle can serve the unit alone
    kTogether,  // not alone, but on a known detour
    kUnknown,   // no detour was found in the time allowed, nor proven that there is none
    kNever,     // no route can serve it
  };

  // Looks for detours where routes may become feasible by visiting more (MayDetour), for at most
  // this share of the time until `stop` and some tenths of a second. If `stop` holds already, for
  // some milliseconds.
  static constexpr double kShareOfTime = 0.15;
  static Detours Create(const Problem& problem, const StopCondition& stop);

  Detours() = default;
  Reach reach(int32_t unit) const { return reach_[unit]; }
  // The shortest known first; empty unless kTogether.
  std::span<const Detour> DetoursOf(int32_t unit) const { return detours_[unit]; }
  // Units that are not kNever.
  const std::vector<int32_t>& servable() const { return servable_; }
  // Whether some unit is kTogether or kUnknown.
  bool needed() const { return needed_; }

 private:
  bool needed_ = false;
  std::vector<Reach> reach_;                  // [units]
  std::vector<std::vector<Detour>> detours_;  // [units]
  std::vector<int32_t> servable_;
};

// Whether a route may become feasible by visiting more: a vehicle HasFurtherLimits, or time or
// length is limited and a way over other customers may be shorter than the direct one (given
// matrices, rounded distances), or spare a setup.
bool MayDetour(const Instance& instance);

}  // namespace vrp
