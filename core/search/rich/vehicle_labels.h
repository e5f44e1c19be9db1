// From the search's vehicle types back to the instance's.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/search/rich/rich_problem.h"

namespace vrp {

// Hands out the instance's types of one plan's vehicles, each as often as it has vehicles.
class VehicleLabels {
 public:
  explicit VehicleLabels(const RichProblem& problem) {
    for (const RichVehicle& vehicle : problem.vehicles()) left_.push_back(vehicle.originals);
  }

  int32_t Next(int32_t type) {
    auto& originals = left_[type];
    const int32_t label = originals.back().first;
    const bool limited = originals.back().second > 0;
    if (limited && --originals.back().second == 0) originals.pop_back();
    return label;
  }

 private:
  std::vector<std::vector<std::pair<int32_t, int32_t>>> left_;  // by type: labels, vehicles left
};

}  // namespace vrp
