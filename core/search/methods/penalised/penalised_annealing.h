// Annealing among plans that may break limits, for problems of every kind.
#pragma once

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "core/problem/plan/solution.h"
#include "core/search/methods/penalised/penalised_course.h"
#include "core/search/model/fast_random.h"
#include "core/search/model/search_options.h"
#include "core/search/route/route_store.h"

namespace vrp {

// Anneals `start` in slices (annealing.h) as Problem::Penalised. After each slice the penalties
// rise if plans break a limit too often, and fall if they keep to it. Every change of a route is
// simulated, so a slice is slower than a search of PenalisedRoutes. Returns the cheapest plan
// found that breaks no limit and serves all that is required; an empty plan if there is none. Calls
// `on_improvement` for such plans, each cheaper than the one before. Adds to `iterations`. The
// problem must not be plain().
Plan AnnealPenalised(const RouteStore& start, const PenalisedCourse& course,
                     const SearchOptions& options, FastRandom& random, int64_t& iterations,
                     absl::FunctionRef<void(const Plan&)> on_improvement);

}  // namespace vrp
