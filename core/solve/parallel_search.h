// Searches side by side.
#pragma once

#include <cstdint>
#include <functional>

#include "absl/status/statusor.h"
#include "core/problem/instance/instance.h"
#include "core/search/search.h"

namespace vrp {

// Runs `threads` searches with the seeds options.seed, options.seed + 1, ... and returns the best:
// the fewest customers left out, then the cost, then the lowest seed. `iterations` is the sum.
// Population searches exchange their best plans, and a large plain instance is searched by all
// threads together (SearchesByRegions): with more than one the answer depends on when each finds
// what. Fewer threads run where the system gives no more. Blocks. `on_improvement`
// (null: nobody) is told of each plan that is better than all plans before it, of all searches; one
// call at a time, in the thread that found it.
absl::StatusOr<SearchResult> ParallelSearch(
    const Instance& instance, const SearchOptions& options, int32_t threads,
    const std::function<void(const Plan&, Cost)>& on_improvement = nullptr);

}  // namespace vrp
