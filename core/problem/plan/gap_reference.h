// The gap of a cost to a reference, and the names of references. docs/gaps.md shows where gaps
// stand.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/time/time.h"

namespace vrp {

// Returns (cost - reference) / reference; NaN without a positive reference. The gap of several
// instances is always the mean of theirs.
double Gap(double cost, double reference);

// Names of references, as they stand behind "vs" in texts.
inline constexpr std::string_view kNearestNeighbourReference = "nearest neighbour";
inline constexpr std::string_view kFileReference = "file's reference costs";
// Returns "search 1 s" or "search 500 ms".
std::string SearchReference(absl::Duration budget);
// Returns "search 200 iterations"; 0 iterations: the initial local search.
std::string SearchReference(int64_t iterations);

}  // namespace vrp
