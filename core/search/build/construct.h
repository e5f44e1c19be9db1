// Plans from nothing, in milliseconds. Every route is feasible; who cannot be served (alone, or
// with the fleet there is) is left out of the plan. Empty plans for instances that are
// not IsPlain. Thread-safe.
#pragma once

#include <cstdint>
#include <iterator>

#include "core/base/stop.h"
#include "core/problem/instance/instance.h"
#include "core/problem/plan/solution.h"

namespace vrp {

class Problem;

// Goes to the nearest customer that still fits (capacity, window, return to the depot); back when
// none does. The yardstick of trained policies.
Plan NearestNeighbourPlan(const Instance& instance, const StopCondition& stop = {});

// Appends the customers along a space-filling curve to route after route; with windows, some
// vehicles' customers at a time, in the order of the windows' ends, to the nearest route that takes
// them. O(N log N): for when there is no time at all.
Plan PackedPlan(const Problem& problem);

// Customers in its routes.
inline int64_t CountServed(const Plan& plan) {
  int64_t customers = 0;
  for (const PlannedRoute& route : plan) customers += std::ssize(route.customers);
  return customers;
}

}  // namespace vrp
