// The routes that searches start from.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "core/base/stop.h"
#include "core/problem/plan/plan.h"
#include "core/search/model/fast_random.h"
#include "core/search/route/route_store.h"

namespace vrp {

struct FirstRoutes {
  RouteStore start;            // of the search
  Plan best;                   // not worse than `start`
  std::vector<Plan> complete;  // all that serve what is required
};

// Makes routes from the given plans, by insertion and by savings, as far as `stop` allows. Calls
// `report` for each that is better than those before.
FirstRoutes MakeFirstRoutes(const Problem& problem, std::span<const Plan> given,
                            const StopCondition& stop, FastRandom& random,
                            absl::FunctionRef<void(const RouteStore&)> report);

// Removes each route, the shortest first, and inserts its units where they cost least. Keeps what
// is better. Returns early if `stop` holds.
void ReinsertRoutes(RouteStore& routes, FastRandom& random, const StopCondition& stop);

}  // namespace vrp
