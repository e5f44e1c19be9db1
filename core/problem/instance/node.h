// Node numbers, and the number that stands for "no limit".
#pragma once

#include <cstdint>
#include <limits>

namespace vrp {

// A node's number: the depots first (0 .. D-1; D is 1 in most instances), then the customers in the
// order given.
using NodeIndex = int32_t;

inline constexpr double kNoLimit = std::numeric_limits<double>::infinity();

}  // namespace vrp
