// Anytime heuristic search: construction, then local search, population search or perturbation
// until the stop condition.
#pragma once

#include "absl/status/statusor.h"
#include "core/problem/instance/instance.h"
#include "core/search/model/search_options.h"

namespace vrp {

// Deterministic for a given seed and number of iterations on one thread. Thread-safe over distinct
// calls. Returns a feasible plan even when the stop condition holds from the start.
// `on_improvement` is called in this thread.
absl::StatusOr<SearchResult> Search(
    const Instance& instance, const SearchOptions& options,
    ImprovementFn on_improvement = [](const Plan&, Cost) {});

}  // namespace vrp
