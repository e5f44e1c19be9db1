// Beginnings of routes that are settled.
#pragma once

#include <cstdint>
#include <vector>

#include "core/problem/instance/node.h"

namespace vrp {

// What a vehicle has driven already, or is loaded for: its route begins with these visits in this
// order, whatever follows. freeze.h makes them part of an instance.
struct FrozenRoute {
  int32_t route = 0;  // its number in the plan that was given
  int32_t vehicle_type = 0;
  std::vector<NodeIndex> visits = {};  // as PlannedRoute::customers
  // Of the shipments that `visits` pick up: the deliveries still to come, in an order that breaks
  // no rule when the vehicle does nothing else.
  std::vector<NodeIndex> deliveries = {};
};

}  // namespace vrp
