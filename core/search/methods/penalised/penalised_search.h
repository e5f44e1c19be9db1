// Searches among plans that break limits at a penalty.
#pragma once

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "core/problem/plan/solution.h"
#include "core/search/model/fast_random.h"
#include "core/search/model/search_options.h"
#include "core/search/route/route_store.h"

namespace vrp {

// Searches where limits may be broken at penalties that rise while they are and fall while they are
// not (Vidal et al. 2013). Problems that CanPenalise are searched by ruin and recreate (SISR,
// Christiaens and Vanden Berghe 2020) with a descent after each, the others by AnnealPenalised.
// Both functions add their iterations to `iterations`.

// Returns whether both functions know the problem: one that CanPenalise, or one with features and
// few enough nodes.
bool PenalisedSearchKnows(const Problem& problem);

// Inserts all that is required into `partial`. Returns the first plan that breaks no limit, or an
// empty plan if the search finds none by the options' end. What is optional may be left out.
Plan FindCompletePlan(const RouteStore& partial, const SearchOptions& options, FastRandom& random,
                      int64_t& iterations);

// Improves `complete`, which leaves nothing out. Returns the cheapest plan found that breaks no
// limit, or an empty plan. Calls `on_improvement` with such plans, each cheaper than the one
// before, at most once in some milliseconds.
Plan ImprovePenalised(const RouteStore& complete, const SearchOptions& options, FastRandom& random,
                      int64_t& iterations, absl::FunctionRef<void(const Plan&)> on_improvement);

}  // namespace vrp
