// First routes by savings, for every problem.
#pragma once

#include "core/base/stop.h"
#include "core/search/model/fast_random.h"
#include "core/search/route/route_store.h"

namespace vrp {

// Serves absent units in new routes, which it merges by the largest saving (Clarke and Wright 1964,
// parallel version) as long as that costs less. A route gets the cheapest vehicle type that can
// drive it. Routes beyond the fleet go to other types or are dissolved. Shipments, and what finds
// no vehicle, stay absent. Returns false, with the routes as they were, if `stop` holds early.
bool MergeRoutes(RouteStore& routes, const StopCondition& stop);
// Returns a plan with each saving multiplied by 1 - noise .. 1 + noise as the lot decides. What is
// left out then is inserted, as far as `stop` allows.
Plan NoisySavingsPlan(const Problem& problem, const StopCondition& stop, double noise,
                      FastRandom& random);

}  // namespace vrp
