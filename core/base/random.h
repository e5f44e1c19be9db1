// Counter-based random numbers: Philox4x32-10 of Salmon, Moraes, Dror, Shaw, "Parallel random
// numbers: as easy as 1, 2, 3", SC 2011. A number is a function of (seed, stream, position) and of
// nothing else, so that any of them can be made alone, by any thread or device, and a resumed run
// needs no generator state. Not for secrets.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

namespace vrp {

struct PhiloxKey {
  uint32_t lane[2];
};
struct PhiloxCounter {
  uint32_t lane[4];
};

// The four 32-bit words at `counter` under `key`. Stateless; constexpr, so that device code can use
// it too.
constexpr PhiloxCounter PhiloxBlock(PhiloxKey key, PhiloxCounter counter) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t product0 = uint64_t{0xD2511F53u} * counter.lane[0];
    const uint64_t product1 = uint64_t{0xCD9E8D57u} * counter.lane[2];
    counter = {{static_cast<uint32_t>(product1 >> 32) ^ counter.lane[1] ^ key.lane[0],
                static_cast<uint32_t>(product1),
                static_cast<uint32_t>(product0 >> 32) ^ counter.lane[3] ^ key.lane[1],
                static_cast<uint32_t>(product0)}};
    key.lane[0] += 0x9E3779B9u;
    key.lane[1] += 0xBB67AE85u;
  }
  return counter;
}

// A word as a float in [0, 1), of 24 bits; two words as a double in [0, 1), of 53 bits.
constexpr float UnitFloat(uint32_t word) { return static_cast<float>(word >> 8) * 0x1p-24f; }
constexpr double UnitDouble(uint64_t word) { return static_cast<double>(word >> 11) * 0x1p-53; }

// One stream of numbers, read in order: (seed, stream, substream) name it. Different names give
// independent streams of 2^34 words each. Copyable (a copy goes on from the same place); a thread
// needs its own. Satisfies UniformRandomBitGenerator; but prefer the members, whose results do not
// depend on the standard library.
class CounterRandom {
 public:
  using result_type = uint32_t;

  explicit CounterRandom(uint64_t seed, uint64_t stream = 0, uint32_t substream = 0);

  static constexpr uint32_t min() { return 0; }
  static constexpr uint32_t max() { return UINT32_MAX; }
  uint32_t operator()() { return Next32(); }

  uint32_t Next32();
  uint64_t Next64();
  double UniformDouble() { return UnitDouble(Next64()); }  // [0, 1)
  float UniformFloat() { return UnitFloat(Next32()); }     // [0, 1)
  // Each of low .. high (both included; low <= high) equally likely, without bias (Lemire 2019).
  int64_t UniformInt(int64_t low, int64_t high);

  template <typename T>
  void Shuffle(std::span<T> items) {
    for (size_t i = items.size(); i > 1; --i) {
      using std::swap;
      swap(items[i - 1], items[static_cast<size_t>(UniformInt(0, static_cast<int64_t>(i) - 1))]);
    }
  }

 private:
  PhiloxKey key_;
  PhiloxCounter counter_;  // of the next block
  PhiloxCounter block_{};
  int used_ = 4;  // words of block_ handed out
};

}  // namespace vrp
