// Searches among plans that break limits at a price.
#pragma once

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "core/problem/plan/solution.h"
#include "core/search/fast_random.h"
#include "core/search/rich/rich_route_set.h"
#include "core/search/search.h"

namespace vrp {

// Both know problems that CanRelax: ruin and recreate (SISR, Christiaens and Vanden Berghe 2020)
// and a descent after each, where limits may be broken at prices that rise while they are and fall
// while they are not (Vidal et al. 2013). Both add their iterations to `iterations`.

// From `partial`, with all put in that is required and left out: the first plan that breaks no
// limit; an empty one: none was found by the options' end. What is optional is left out.
Plan FindWholePlan(const RichRouteSet& partial, const SearchOptions& options, FastRandom& random,
                   int64_t& iterations);

// From `whole`, which leaves nothing out: the cheapest plan that breaks no limit, of those that the
// search comes to until the options' end; an empty one: it came to none. Calls `on_improvement`
// with plans that break none, each cheaper than the one before, once in some milliseconds.
Plan ImproveRelaxed(const RichRouteSet& whole, const SearchOptions& options, FastRandom& random,
                    int64_t& iterations, absl::FunctionRef<void(const Plan&)> on_improvement);

}  // namespace vrp
