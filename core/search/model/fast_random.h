// A small, fast pseudo-random generator for search loops; not for cryptography.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

namespace vrp {

// xoshiro256** (Blackman and Vigna 2018), seeded by SplitMix64. The same seed gives the same
// numbers on every machine (std::uniform_* would not). Not thread-safe: one a search.
class FastRandom {
 public:
  explicit FastRandom(uint64_t seed) {
    for (uint64_t& word : state_) {
      seed += 0x9e3779b97f4a7c15ULL;
      uint64_t z = seed;
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
      z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
      word = z ^ (z >> 31);
    }
  }

  uint64_t Next() {
    const uint64_t result = Rotate(state_[1] * 5, 7) * 9;
    const uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = Rotate(state_[3], 45);
    return result;
  }

  // Uniform in [0, bound); bound >= 1. Multiply-shift: the bias is below 2^-32 * bound.
  int32_t Below(int32_t bound) {
    return static_cast<int32_t>(((Next() >> 32) * static_cast<uint64_t>(bound)) >> 32);
  }
  // Uniform in [low, high], both included.
  int32_t Between(int32_t low, int32_t high) { return low + Below(high - low + 1); }
  // Uniform in [0, 1).
  double Unit() { return static_cast<double>(Next() >> 11) * 0x1.0p-53; }

  template <typename T>
  void Shuffle(std::span<T> values) {
    for (auto i = static_cast<int32_t>(values.size()) - 1; i > 0; --i) {
      std::swap(values[i], values[Below(i + 1)]);
    }
  }

 private:
  static uint64_t Rotate(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

  uint64_t state_[4];
};

}  // namespace vrp
