// Nodes in the order of a value, one word each.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/problem/instance/instance.h"

namespace vrp {

// Keys order as (float(value), node) do, for floats that are not negative order as their bits do:
// selecting among words is several times faster than among pairs.
inline uint64_t RankKey(double value, NodeIndex node) {
  const auto bits = std::bit_cast<uint32_t>(static_cast<float>(value));
  return uint64_t{bits} << 32 | static_cast<uint32_t>(node);
}
inline NodeIndex RankedNode(uint64_t key) {
  return static_cast<NodeIndex>(key & std::numeric_limits<uint32_t>::max());
}
inline float RankedValue(uint64_t key) {
  return std::bit_cast<float>(static_cast<uint32_t>(key >> 32));
}

// The `count` least keys come first, in order.
void SortLeast(std::vector<uint64_t>& keys, int64_t count);

// Sets `keys` to those of the `count` least values, or of all where there are fewer, in order.
// `nodes` are those of the values.
void RankLeast(std::span<const double> values, std::span<const NodeIndex> nodes, int64_t count,
               std::vector<uint64_t>& keys);

// Sorts many keys by value in linear time. Keys of equal value keep their order.
void SortByValue(std::vector<uint64_t>& keys);

}  // namespace vrp
