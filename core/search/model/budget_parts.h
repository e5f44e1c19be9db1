// Parts of a search's budget.
#pragma once

#include <cstdint>

#include "core/search/model/search_options.h"

namespace vrp {

// Options for the first `share` of a search, with a number of iterations where it has no end.
SearchOptions PartOf(const SearchOptions& options, double share, int32_t customers);

// What is left of `options` after so many iterations.
SearchOptions RestOf(const SearchOptions& options, int64_t iterations);

}  // namespace vrp
