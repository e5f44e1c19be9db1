#include "core/base/random.h"

#include "absl/numeric/int128.h"

namespace vrp {

CounterRandom::CounterRandom(uint64_t seed, uint64_t stream, uint32_t substream)
    : key_{{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)}},
      counter_{{0, substream, static_cast<uint32_t>(stream), static_cast<uint32_t>(stream >> 32)}} {
}

uint32_t CounterRandom::Next32() {
  if (used_ == 4) {
    block_ = PhiloxBlock(key_, counter_);
    ++counter_.lane[0];
    used_ = 0;
  }
  return block_.lane[used_++];
}

uint64_t CounterRandom::Next64() {
  const uint64_t low = Next32();
  return low | (uint64_t{Next32()} << 32);
}

int64_t CounterRandom::UniformInt(int64_t low, int64_t high) {
  // Unsigned arithmetic, so that the widest range does not overflow; a range of 0 then stands for
  // 2^64.
  const uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low) + 1;
  if (range == 0) return static_cast<int64_t>(Next64());
  absl::uint128 product = absl::uint128(Next64()) * range;
  if (absl::Uint128Low64(product) < range) {
    const uint64_t threshold = -range % range;
    while (absl::Uint128Low64(product) < threshold) {
      product = absl::uint128(Next64()) * range;
    }
  }
  return static_cast<int64_t>(static_cast<uint64_t>(low) + absl::Uint128High64(product));
}

}  // namespace vrp
