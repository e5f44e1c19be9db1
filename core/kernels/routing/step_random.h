// Random numbers of a sampled step. They are functions of the step's position, so that every
// network and device draws the same numbers.
#pragma once

#include <cstdint>

#include "core/base/random.h"

namespace vrp {

// Returns the random stream of a captured step, whose number is read from device memory. If `steps`
// is null, returns `stream` itself.
constexpr uint64_t StreamOfStep(uint64_t stream, const int64_t* steps) {
  return steps == nullptr ? stream : stream + static_cast<uint64_t>(*steps);
}

// The position of a sampled step, which determines its random numbers.
struct StepKey {
  uint64_t seed = 0;
  uint64_t stream = 0;
  int64_t trajectory = 0;  // number in the whole run
  int32_t step = 0;        // below 2^20
};

// Returns the step's Philox block. Its words are independent random numbers.
constexpr PhiloxCounter StepBlock(const StepKey& key) {
  const auto number = static_cast<uint64_t>(key.trajectory);
  const auto high = static_cast<uint32_t>(number >> 32);
  return PhiloxBlock(
      {{static_cast<uint32_t>(key.seed), static_cast<uint32_t>(key.seed >> 32)}},
      {{static_cast<uint32_t>(key.step) + (high << 20), static_cast<uint32_t>(number),
        static_cast<uint32_t>(key.stream), static_cast<uint32_t>(key.stream >> 32)}});
}

// Returns a uniform number in [0, 1), from the block's first two words or from its last two.
constexpr double FirstUniform(const PhiloxCounter& block) {
  return UnitDouble(block.words[0] | (uint64_t{block.words[1]} << 32));
}
constexpr double SecondUniform(const PhiloxCounter& block) {
  return UnitDouble(block.words[2] | (uint64_t{block.words[3]} << 32));
}

// The key of eight neighbouring units of a layer with dropout, two per word.
struct DropoutKey {
  uint64_t seed = 0;
  uint64_t stream = 0;
  int64_t sequence = 0;  // number in the whole run
  int32_t step = 0;      // below 2^19
  int32_t layer = 0;     // below 8
  bool decoder = false;  // whether the layer is in the decoder; otherwise in the encoder
  int32_t block = 0;     // below 256
};
constexpr PhiloxCounter DropoutBlock(const DropoutKey& key) {
  constexpr uint32_t kNoStep = uint32_t{1} << 31;  // differs from all of StepBlock's
  const uint32_t position = static_cast<uint32_t>(key.block) |
                            static_cast<uint32_t>(key.layer) << 8 | (key.decoder ? 1u : 0u) << 11 |
                            static_cast<uint32_t>(key.step) << 12;
  return PhiloxBlock(
      {{static_cast<uint32_t>(key.seed), static_cast<uint32_t>(key.seed >> 32)}},
      {{position | kNoStep, static_cast<uint32_t>(key.sequence), static_cast<uint32_t>(key.stream),
        static_cast<uint32_t>(key.stream >> 32)}});
}

// The rate of dropout. A unit is dropped if its half word is below `limit`. Other units are
// multiplied by `factor`, which preserves the mean.
struct DropoutRate {
  uint32_t limit = 0;  // out of 2^16
  float factor = 1;
};
constexpr DropoutRate DropoutRateOf(double share) {
  const auto limit = static_cast<uint32_t>(share * 65536 + 0.5);  // NOLINT: constexpr, not negative
  return {limit, 65536.0f / static_cast<float>(65536 - limit)};
}

// Writes the factors [8] of the block's units.
constexpr void WriteDropoutFactors(const DropoutKey& key, const DropoutRate& rate, float* factors) {
  for (const uint32_t word : DropoutBlock(key).words) {
    *factors++ = (word & 0xffff) >= rate.limit ? rate.factor : 0.0f;
    *factors++ = word >> 16 >= rate.limit ? rate.factor : 0.0f;
  }
}

}  // namespace vrp
