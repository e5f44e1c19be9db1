// Plans from nothing, in milliseconds. All customers that fit are served; who cannot be served is left out of the plan.
#pragma once

#include "core/problem/instance.h"
#include "core/problem/solution.h"

namespace vrp {

// Clarke and Wright 1964, parallel version: merges the routes' ends by the largest saving. Ignores time windows.
Plan SavingsPlan(const Instance& instance);
// Solomon 1987, I1: seeds a route, then inserts where the added distance and delay are least. Respects windows.
Plan InsertionPlan(const Instance& instance);
// Goes to the nearest customer that still fits (capacity, window, return to the depot); back when none does.
// The yardstick of trained policies.
Plan NearestNeighbourPlan(const Instance& instance);

}  // namespace vrp
