// Objectives: the measures that a plan minimises.
#pragma once

#include <optional>
#include <string_view>

namespace vrp {

// The measure that a plan minimises, including lost prizes and the cost of lateness. Serving
// customers comes first. A plan is better if the unserved customers without a prize, each weighted
// by 1 + priority, weigh less.
enum class Objective {
  kDistance,
  kVehiclesThenDistance,  // fewest routes, then kDistance
  kDuration,              // total duration of the routes, including waiting and service
  kCost,                  // total cost of the used vehicles (VehicleType)
};

// Converts to and from the names in choices.h, such as "vehicles_then_distance".
std::string_view ObjectiveName(Objective objective);
std::optional<Objective> ObjectiveFromName(std::string_view name);

}  // namespace vrp
