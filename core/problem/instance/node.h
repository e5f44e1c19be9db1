// Node numbers, and the value for "no limit".
#pragma once

#include <cstdint>
#include <limits>

namespace vrp {

// The number of a node. The D depots come first (0 to D - 1), then the customers in the order of
// the input.
using NodeIndex = int32_t;

// Value of an absent limit, and the end of an open time window.
inline constexpr double kNoLimit = std::numeric_limits<double>::infinity();

}  // namespace vrp
