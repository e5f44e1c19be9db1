// Searches that are parts of one.
#pragma once

#include <cstdint>

#include "core/search/search.h"

namespace vrp {

// A search whose first plan leaves customers out hopes for one that serves all: so much of the
// budget goes to ruin and recreate, then so much of what is left to FindWholePlan.
inline constexpr double kAnnealedHope = 0.1;
inline constexpr double kRelaxedHope = 0.4;

// Options for the first `share` of a search, with a number of iterations where it has no end.
SearchOptions PartOf(const SearchOptions& options, double share, int32_t customers);

// What is left of `options` after so many iterations.
SearchOptions RestOf(const SearchOptions& options, int64_t iterations);

}  // namespace vrp
