// What a plan is judged by.
#pragma once

#include <optional>
#include <string_view>

namespace vrp {

// Lost prizes and the cost of lateness are added to each. Before any of them counts how much is
// served: a plan with less left out (customers without a prize, weighted by 1 + priority) is
// better.
enum class Objective {
  kDistance,
  kVehiclesThenDistance,  // fewest routes, then kDistance
  kDuration,              // of all routes, waiting and service included
  kCost,                  // of the vehicles: VehicleType's costs
};

// "distance", "vehicles_then_distance", "duration", "cost".
std::string_view ObjectiveName(Objective objective);
std::optional<Objective> ObjectiveFromName(std::string_view name);

}  // namespace vrp
