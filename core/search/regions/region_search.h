// Search of large instances, a region at a time.
#pragma once

#include <cstdint>

#include "core/problem/plan/solution.h"
#include "core/search/search.h"
#include "core/search/search_problem.h"

namespace vrp {

// Whether a search by regions finds more until `stop` than one of the whole, with so many
// customers.
bool RegionsPay(int64_t customers, const StopCondition& stop);

// Ruin and recreate of regions, routes near each other with some hundred customers, as problems of
// their own: their data stays in the cache, and options.threads (at least one) work on different
// ones at once. All cool down by one clock. New regions are drawn for each slice of the work, so
// that borders move (decomposition by route neighbourhoods: Santini et al. 2023, "Decomposition
// strategies for vehicle routing heuristics").
//
// `plan` is feasible and serves every customer that can be served. Calls `on_improvement` in this
// thread. Deterministic on one thread, by iterations.
SearchResult RegionSearch(const SearchProblem& problem, const Plan& plan,
                          const SearchOptions& options, ImprovementFn on_improvement);

}  // namespace vrp
