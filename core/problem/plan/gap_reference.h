// Computes gaps between costs and references, and names references. docs/reference/gaps.md lists
// where gaps are shown.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/time/time.h"

namespace vrp {

// Returns (cost - reference) / reference; NaN without a positive reference. The gap of several
// instances is the mean of their gaps.
double Gap(double cost, double reference);

// Names of references, as texts show them after "vs".
inline constexpr std::string_view kNearestNeighbourReference = "nearest neighbour";
inline constexpr std::string_view kFileReference = "file's reference costs";
// Returns a name such as "search 1 s" or "search 500 ms".
std::string SearchReference(absl::Duration budget);
// Returns a name such as "search 200 iterations", or "search's first descent" for 0.
std::string SearchReference(int64_t iterations);

}  // namespace vrp
