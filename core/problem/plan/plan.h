// A plan: which customers, by which vehicle, in which order.
#pragma once

#include <cstdint>
#include <vector>

#include "core/problem/instance/instance.h"

namespace vrp {

struct PlannedRoute {
  int32_t vehicle_type = 0;  // index into Instance::vehicles(); 0 for a TSP
  // In visiting order, without the depots at the ends. The vehicle's start depot in between is a
  // reload: what it picked up is unloaded, the next customers' goods are loaded.
  std::vector<NodeIndex> customers = {};

  bool operator==(const PlannedRoute&) const = default;
};
using Plan = std::vector<PlannedRoute>;

// What drives the only route of a TSP has no limit and starts at node 0.
inline const VehicleType& VehicleOf(const Instance& instance, const PlannedRoute& route) {
  static const VehicleType* const tourist = new VehicleType;
  return instance.vehicles().empty() ? *tourist : instance.vehicles()[route.vehicle_type];
}

}  // namespace vrp
