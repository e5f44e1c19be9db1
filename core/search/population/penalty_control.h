// Prices of infeasibility that follow how many descents end feasible.
#pragma once

#include "core/search/population/penalised_routes.h"

namespace vrp {

// Keeps the shares of feasible loads and of feasible times near a target, as in Vidal et al. 2012.
// Not thread-safe.
class PenaltyControl {
 public:
  explicit PenaltyControl(const SearchProblem& problem);

  const Penalties& penalties() const { return penalties_; }
  // For the descent that is to make an infeasible individual feasible.
  Penalties Repairing() const;
  // Tells how a descent ended; true when the prices changed.
  bool Record(bool load_feasible, bool time_feasible);

 private:
  Penalties penalties_, lowest_, highest_;
  int descents_ = 0;
  int load_feasible_ = 0;
  int time_feasible_ = 0;
};

}  // namespace vrp
