// Zones: clusters of the places that a history has.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/habits/counts/count_tables.h"

namespace vrp {

// Returns the centres of at most `zones` clusters of `points`, by k-means with the starts of
// k-means++ (Arthur and Vassilvitskii 2007). Fewer distinct points give fewer clusters. The result
// depends only on the arguments.
std::vector<SpacePoint> FindZones(std::span<const SpacePoint> points, int32_t zones, uint64_t seed);

}  // namespace vrp
