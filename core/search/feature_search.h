// The search for problems with features beyond the plain one (core/problem/instance/features.h).
#pragma once

#include "absl/status/statusor.h"
#include "core/search/model/problem.h"
#include "core/search/search.h"

namespace vrp {

// Search (core/search/search.h) for any problem, a TSP only with frozen stops. Past a stop that
// holds from the start it may take until `hard_stop` for its first plan. kInvalidArgument for
// frozen stops that keep to a limit only within the checker's tolerance.
absl::StatusOr<SearchResult> FeatureSearch(const Problem& problem, const SearchOptions& options,
                                           const StopCondition& hard_stop,
                                           ImprovementFn on_improvement);

}  // namespace vrp
