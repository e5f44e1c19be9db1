// The search for a TSP with symmetric distances.
#pragma once

#include "core/search/search.h"
#include "core/search/search_problem.h"

namespace vrp {

// 2-opt and Or-opt over neighbour lists with a work queue (Bentley 1992), perturbed by double
// bridges between near positions (Johnson and McGeoch 1997, iterated local search); a worse tour is
// taken back. `problem` is a symmetric TSP with at least four nodes. As Search otherwise.
SearchResult SearchTour(const SearchProblem& problem, const SearchOptions& options,
                        ImprovementFn on_improvement);

}  // namespace vrp
