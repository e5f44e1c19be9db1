// The search for a TSP with symmetric distances.
#pragma once

#include "core/search/model/problem.h"
#include "core/search/model/search_options.h"

namespace vrp {

// Exchanges of two and three edges (tour_improver.h), perturbed by double bridges between near
// positions and accepted as in simulated annealing (Martin, Otto and Felten 1991, "Large-step
// Markov chains for the traveling salesman problem"). `problem` is a symmetric TSP with at least
// four nodes. As Search otherwise.
SearchResult SearchTour(const Problem& problem, const SearchOptions& options,
                        ImprovementFn on_improvement);

}  // namespace vrp
