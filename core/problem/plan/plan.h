// Plans: the customers of each route, in visiting order.
#pragma once

#include <cstdint>
#include <vector>

#include "core/problem/instance/instance.h"

namespace vrp {

// The route of one vehicle.
struct PlannedRoute {
  int32_t vehicle_type = 0;  // index into Instance::vehicles(); 0 for a TSP
  // Visits in order, without the depots at both ends. The start depot between customers is a
  // reload: the vehicle unloads pickups and loads the goods of the next customers.
  std::vector<NodeIndex> customers = {};

  bool operator==(const PlannedRoute&) const = default;
};
// The routes of a plan. Routes may be empty.
using Plan = std::vector<PlannedRoute>;

// Returns the vehicle type of `route`. For a TSP, returns one without limits that starts at node 0.
inline const VehicleType& VehicleOf(const Instance& instance, const PlannedRoute& route) {
  static const VehicleType* const unlimited = new VehicleType;
  return instance.vehicles().empty() ? *unlimited : instance.vehicles()[route.vehicle_type];
}

}  // namespace vrp
