// Plans from nothing, in milliseconds. Every route is feasible; who cannot be served (alone, or
// with the fleet there is) is left out of the plan. Empty plans for instances that are
// not IsPlain. Thread-safe.
#pragma once

#include <cstdint>
#include <iterator>

#include "core/base/stop.h"
#include "core/problem/instance/instance.h"
#include "core/problem/plan/solution.h"
#include "core/search/model/fast_random.h"

namespace vrp {

class Problem;

// Each ends early, with the rest packed as it comes, when `stop` holds.

// Clarke and Wright 1964, parallel version: merges the routes' ends by the largest saving, where
// the merged route keeps capacity and windows. Where that leaves more routes than vehicles, the
// emptiest are dissolved into the others.
Plan SavingsPlan(const Instance& instance, const StopCondition& stop = {});
Plan SavingsPlan(const Problem& problem, const StopCondition& stop);
// The same with each saving multiplied by 1 - noise .. 1 + noise as the lot decides.
Plan NoisySavingsPlan(const Problem& problem, const StopCondition& stop, double noise,
                      FastRandom& random);

// Solomon 1987, I1: seeds a route with the farthest customer, then inserts where the added distance
// and delay are least.
Plan InsertionPlan(const Instance& instance, const StopCondition& stop = {});
Plan InsertionPlan(const Problem& problem, const StopCondition& stop);

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
