// Constructions, in milliseconds. Every route is feasible. Thread-safe for different routes.
#pragma once

#include <cstdint>
#include <iterator>

#include "core/base/stop.h"
#include "core/problem/instance/instance.h"
#include "core/problem/plan/solution.h"
#include "core/search/model/fast_random.h"
#include "core/search/route/route_store.h"

namespace vrp {

// Serves absent units in new routes, which it merges by the largest saving (Clarke and Wright 1964,
// parallel version) as long as that costs less. A route gets the cheapest vehicle type that can
// drive it. Routes beyond the fleet go to other types or are dissolved. Shipments, and what finds
// no vehicle, stay absent. Knows no customers that must share a route. Returns false, with the
// routes as they were, if `stop` holds early.
bool MergeRoutes(RouteStore& routes, const StopCondition& stop);
// Returns a plan with each saving multiplied by 1 - noise .. 1 + noise as the lot decides. What is
// left out then is inserted, as far as `stop` allows.
Plan NoisySavingsPlan(const Problem& problem, const StopCondition& stop, double noise,
                      FastRandom& random);

// Appends absent units, one after the other, to the last route that took one, or opens another;
// what does not fit at once stays absent. Takes some milliseconds at most: for when there is no
// time at all.
void PackAbsent(RouteStore& routes);
// Returns a plan of a plain problem. Appends the customers along a space-filling curve to route
// after route; with windows, some vehicles' customers at a time, in the order of the windows' ends,
// to the nearest route that takes them. O(N log N): likewise.
Plan PackedPlan(const Problem& problem);

// Goes to the nearest customer that still fits (capacity, window, return to the depot); back when
// none does. Returns an empty plan for instances that are not IsPlain. The yardstick of trained
// policies.
Plan NearestNeighbourPlan(const Instance& instance, const StopCondition& stop = {});

// Customers in its routes.
inline int64_t CountServed(const Plan& plan) {
  int64_t customers = 0;
  for (const PlannedRoute& route : plan) customers += std::ssize(route.customers);
  return customers;
}

}  // namespace vrp
