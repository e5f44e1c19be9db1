// Random numbers of the improvement. They depend only on seed and round, not on the device or on a
// plan's position in the batch.
#pragma once

#include <cstdint>

#include "core/base/random.h"
#include "core/kernels/support/group.h"

namespace vrp {

// The random numbers of one round, for use by one thread.
class ImproveRandom {
 public:
  VRP_DEVICE ImproveRandom(uint64_t seed, uint32_t round)
      : key_{{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)}},
        counter_{{0, round, 0, kCounterTag}} {}

  VRP_DEVICE uint32_t Next() {
    if (used_ == 4) {
      block_ = PhiloxBlock(key_, counter_);
      ++counter_.words[0];
      used_ = 0;
    }
    return block_.words[used_++];
  }
  // Returns a number in [0, n), n >= 1.
  VRP_DEVICE uint32_t Below(uint32_t n) {
    return static_cast<uint32_t>((uint64_t{Next()} * n) >> 32);
  }

 private:
  static constexpr uint32_t kCounterTag = 0x1397061Du;  // differs from the decoders' counters

  PhiloxKey key_;
  PhiloxCounter counter_;
  PhiloxCounter block_{};
  int32_t used_ = 4;
};

// Hashes a round's word and a number (the finaliser of "lowbias32", Wellons 2018). Good enough only
// for decisions that need no statistical independence.
VRP_DEVICE constexpr uint32_t MixedWord(uint32_t word, uint32_t number) {
  uint32_t x = word + number * 0x9E3779B9u;
  x = (x ^ (x >> 16)) * 0x7FEB352Du;
  x = (x ^ (x >> 15)) * 0x846CA68Bu;
  return x ^ (x >> 16);
}

}  // namespace vrp
