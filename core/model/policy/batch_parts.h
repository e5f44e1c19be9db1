// Division of a batch into parts that a network processes one after the other.
#pragma once

#include <cstdint>

namespace vrp {

// Instances first .. first + count - 1 of a batch.
struct InstanceRange {
  int32_t first = 0;
  int32_t count = 0;
};

// Returns part `part` (from 0) of `count` instances in `parts` parts. Parts are consecutive and
// nearly equal; none has more than count / parts instances, rounded up. Some are empty if there are
// more parts than instances.
constexpr InstanceRange PartOf(int32_t count, int32_t parts, int32_t part) {
  const auto begin = [count, parts](int64_t p) { return static_cast<int32_t>(count * p / parts); };
  return {begin(part), begin(part + 1) - begin(part)};
}

// Returns the number of instances of the largest part.
constexpr int32_t LargestPart(int32_t count, int32_t parts) { return (count + parts - 1) / parts; }

// Returns the smallest number of parts that have at most `limit` instances each.
constexpr int32_t PartsOfAtMost(int32_t limit, int32_t count) {
  return (count + limit - 1) / limit;
}

}  // namespace vrp
