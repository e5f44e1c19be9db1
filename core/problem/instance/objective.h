// Objectives: the measures that a plan minimises.
#pragma once

#include <optional>
#include <string_view>

namespace vrp {

// Each objective includes lost prizes and the cost of lateness. Serving customers comes first: a
// plan that leaves less out is better (customers without a prize, each weighted by 1 + priority).
enum class Objective {
  kDistance,
  kVehiclesThenDistance,  // fewest routes, then kDistance
  kDuration,              // total duration of the routes, including waiting and service
  kCost,                  // total cost of the used vehicles (VehicleType)
};

// Converts to and from the names in choices.h, as "vehicles_then_distance".
std::string_view ObjectiveName(Objective objective);
std::optional<Objective> ObjectiveFromName(std::string_view name);

}  // namespace vrp
