// From the search's vehicle types back to the instance's.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/problem/plan/solution.h"
#include "core/search/model/problem.h"

namespace vrp {

// Hands out the instance's types of one plan's vehicles, each as often as it has vehicles; a frozen
// route has the one that it was given with.
class VehicleLabels {
 public:
  // `problem` must outlive this.
  explicit VehicleLabels(const Problem& problem) : frozen_(problem.frozen()) {
    for (const Vehicle& vehicle : problem.vehicles()) left_.push_back(vehicle.originals);
    for (const FrozenSearchRoute& route : frozen_) {
      auto& originals = left_[route.type];
      const auto own = std::find_if(originals.begin(), originals.end(), [&](const auto& original) {
        return original.first == route.label;
      });
      if (own->second > 0 && --own->second == 0) originals.erase(own);
    }
  }

  // Of the route in that slot.
  int32_t Next(int32_t slot, int32_t type) {
    if (slot < std::ssize(frozen_)) return frozen_[slot].label;
    auto& originals = left_[type];
    const int32_t label = originals.back().first;
    const bool limited = originals.back().second > 0;
    if (limited && --originals.back().second == 0) originals.pop_back();
    return label;
  }

 private:
  const std::vector<FrozenSearchRoute>& frozen_;
  std::vector<std::vector<std::pair<int32_t, int32_t>>> left_;  // by type: labels, vehicles left
};

// Returns the plan of `routes`, by slot, each with a type and nodes, which the vehicle's start and
// end are among. Slots without further nodes are not in use.
template <typename Routes>
Plan PlanOf(const Problem& problem, const Routes& routes) {
  VehicleLabels labels(problem);
  Plan plan;
  for (int32_t slot = 0; slot < std::ssize(routes); ++slot) {
    const auto& nodes = routes[slot].nodes;
    if (nodes.size() <= 2) continue;
    plan.push_back({.vehicle_type = labels.Next(slot, routes[slot].type),
                    .customers = {nodes.begin() + 1, nodes.end() - 1}});
  }
  return plan;
}

}  // namespace vrp
