// The balance between the routes of a plan.
#pragma once

#include "core/problem/instance/node.h"

namespace vrp {

// The property of a route that is balanced.
enum class BalanceMeasure {
  kDuration,
  kDistance,
  kLoad,  // first load dimension: all demands, pickups, backhauls and shipments of the route
  kStops  // visited customers, without reloads
};

// A limit on the spread of a measure between routes, or a price for it, or both. The spread is the
// largest measure minus the smallest one over the routes with customers; 0 for fewer than two.
struct Balance {
  BalanceMeasure measure = BalanceMeasure::kDuration;
  double max_spread = kNoLimit;
  double cost = 0;  // added to every objective, per unit of the spread
  // Whether unused vehicles count too, each with the measure 0. All types must have a count.
  // Not with Objective::kVehiclesThenDistance.
  bool all_vehicles = false;

  bool operator==(const Balance&) const = default;
};

}  // namespace vrp
