// The random numbers of a sampled step: functions of where the step is, so that every network and
// device draws the same.
#pragma once

#include <cstdint>

#include "core/base/random.h"

namespace vrp {

struct StepKey {
  uint64_t seed = 0;
  uint64_t stream = 0;
  int64_t trajectory = 0;  // its number in the whole run
  int32_t step = 0;        // below 2^20
};

// The Philox block of the step: its words are that many independent numbers.
constexpr PhiloxCounter StepBlock(const StepKey& key) {
  const auto number = static_cast<uint64_t>(key.trajectory);
  const auto high = static_cast<uint32_t>(number >> 32);
  return PhiloxBlock(
      {{static_cast<uint32_t>(key.seed), static_cast<uint32_t>(key.seed >> 32)}},
      {{static_cast<uint32_t>(key.step) + (high << 20), static_cast<uint32_t>(number),
        static_cast<uint32_t>(key.stream), static_cast<uint32_t>(key.stream >> 32)}});
}

// In [0, 1), of the block's first two words; the second of its last two.
constexpr double FirstUniform(const PhiloxCounter& block) {
  return UnitDouble(block.lane[0] | (uint64_t{block.lane[1]} << 32));
}
constexpr double SecondUniform(const PhiloxCounter& block) {
  return UnitDouble(block.lane[2] | (uint64_t{block.lane[3]} << 32));
}

}  // namespace vrp
