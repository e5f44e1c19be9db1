// A plan that serves everyone, sought among plans that break limits.
#pragma once

#include <cstdint>

#include "core/problem/solution.h"
#include "core/search/fast_random.h"
#include "core/search/rich/rich_route_set.h"
#include "core/search/search.h"

namespace vrp {

// Where CanRelax the problem: from `partial`, with all put in that is required and left out, ruin
// and recreate (SISR, Christiaens and Vanden Berghe 2020) and a descent after each, where limits
// may be broken at prices that rise while they are and fall while they are not (Vidal et al. 2013).
// Ends with the first plan that breaks none; an empty one: none was found by the options' end. What
// is optional is left out. Adds its iterations to `iterations`.
Plan FindWholePlan(const RichRouteSet& partial, const SearchOptions& options, FastRandom& random,
                   int64_t& iterations);

}  // namespace vrp
