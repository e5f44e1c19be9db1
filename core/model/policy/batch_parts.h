// How a batch's instances are divided where they do not go through a network all at once.
#pragma once

#include <cstdint>

namespace vrp {

// Instances first .. first + count - 1 of a batch.
struct InstanceRange {
  int32_t first = 0;
  int32_t count = 0;
};

// Part `part` (from 0) of `parts` of `count` instances: as equal as can be, in order, none of more
// than count / parts, rounded up. Empty ones where there are more parts than instances.
constexpr InstanceRange PartOf(int32_t count, int32_t parts, int32_t part) {
  const auto begin = [count, parts](int64_t p) { return static_cast<int32_t>(count * p / parts); };
  return {begin(part), begin(part + 1) - begin(part)};
}

// Instances of the largest.
constexpr int32_t LargestPart(int32_t count, int32_t parts) { return (count + parts - 1) / parts; }

// The fewest parts of which none is larger than `most`.
constexpr int32_t PartsOfAtMost(int32_t most, int32_t count) { return (count + most - 1) / most; }

}  // namespace vrp
