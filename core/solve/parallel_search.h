// Runs several searches of one instance on several threads.
#pragma once

#include <cstdint>
#include <functional>

#include "absl/status/statusor.h"
#include "core/problem/instance/instance.h"
#include "core/search/search.h"

namespace vrp {

// Runs `threads` searches with the seeds options.seed, options.seed + 1 and so on. Returns the best
// result by PlanValue, and among equal ones that of the lowest seed. `iterations` is the sum.
// Population searches exchange their best plans, and all threads search a large instance together
// (SearchesTogether). With several threads, the result therefore depends on timing. Runs
// fewer threads if the system has no more. Blocks. If searches fail, returns the error of the one
// with the lowest seed. Calls `on_improvement` (optional) for every plan that is better than all
// earlier ones, from the thread that found the plan, one call at a time.
absl::StatusOr<SearchResult> ParallelSearch(
    const Instance& instance, const SearchOptions& options, int32_t threads,
    const std::function<void(const Plan&, Cost)>& on_improvement = nullptr);

}  // namespace vrp
