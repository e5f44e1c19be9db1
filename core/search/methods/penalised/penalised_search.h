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

// From `partial`, with all put in that is required and left out: the first plan that breaks no
// limit; an empty one: none was found by the options' end. What is optional is left out.
Plan FindCompletePlan(const RouteStore& partial, const SearchOptions& options, FastRandom& random,
                      int64_t& iterations);

// From `complete`, which leaves nothing out: the cheapest plan that breaks no limit, of those that
// the search comes to until the options' end; an empty one: it came to none. Calls `on_improvement`
// with plans that break none, each cheaper than the one before, once in some milliseconds.
Plan ImprovePenalised(const RouteStore& complete, const SearchOptions& options, FastRandom& random,
                      int64_t& iterations, absl::FunctionRef<void(const Plan&)> on_improvement);

}  // namespace vrp
