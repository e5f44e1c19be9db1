// Frozen beginnings of routes.
#pragma once

#include <cstdint>
#include <vector>

#include "core/problem/instance/node.h"

namespace vrp {

// The stops that a vehicle has already served or is loaded for. Its route must begin with these
// visits in this order. Freeze (freeze.h) adds them to an instance.
struct FrozenRoute {
  int32_t route = 0;  // index into the given plan
  int32_t vehicle_type = 0;
  std::vector<NodeIndex> visits = {};  // format of PlannedRoute::customers
  // The remaining deliveries of shipments picked up in `visits`, in an order that is feasible if
  // the vehicle serves nothing else.
  std::vector<NodeIndex> deliveries = {};
};

}  // namespace vrp
