// Generates counter-based random numbers by Philox4x32-10 (Salmon, Moraes, Dror, Shaw, "Parallel
// random numbers: as easy as 1, 2, 3", SC 2011). A number is a function of only (seed, stream,
// position). Any thread or device can therefore compute any number, and a resumed run needs no
// generator state. Must not be used for secrets.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

namespace vrp {

// The key of a Philox generator: a seed.
struct PhiloxKey {
  uint32_t words[2];
};
// The position of a Philox block, or its content.
struct PhiloxCounter {
  uint32_t words[4];
};

// Returns the four 32-bit words at `counter` under `key`. The function is constexpr, so that device
// code can call it too.
constexpr PhiloxCounter PhiloxBlock(PhiloxKey key, PhiloxCounter counter) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t product0 = uint64_t{0xD2511F53u} * counter.words[0];
    const uint64_t product1 = uint64_t{0xCD9E8D57u} * counter.words[2];
    counter = {{static_cast<uint32_t>(product1 >> 32) ^ counter.words[1] ^ key.words[0],
                static_cast<uint32_t>(product1),
                static_cast<uint32_t>(product0 >> 32) ^ counter.words[3] ^ key.words[1],
                static_cast<uint32_t>(product0)}};
    key.words[0] += 0x9E3779B9u;
    key.words[1] += 0xBB67AE85u;
  }
  return counter;
}

// Converts one word to a float in [0, 1) with 24 bits, and two words to a double with 53 bits.
constexpr float UnitFloat(uint32_t word) { return static_cast<float>(word >> 8) * 0x1p-24f; }
constexpr double UnitDouble(uint64_t word) { return static_cast<double>(word >> 11) * 0x1p-53; }

// Returns the high half of the product; the low half is left * right.
constexpr uint64_t HighProduct(uint64_t left, uint64_t right) {
  const uint64_t left_low = left & UINT32_MAX;
  const uint64_t right_low = right & UINT32_MAX;
  const uint64_t carried = (left >> 32) * right_low + (left_low * right_low >> 32);
  const uint64_t middle = left_low * (right >> 32) + (carried & UINT32_MAX);
  return (left >> 32) * (right >> 32) + (carried >> 32) + (middle >> 32);
}

// A stream of numbers, read in order and named by (seed, stream, substream). Different names give
// independent streams of 2^34 words each. A copy continues at the same position. Not thread-safe.
// Satisfies UniformRandomBitGenerator. Callers should prefer the members to the standard library's
// distributions, whose results depend on the library. Device code can call all members except
// Shuffle, because they are constexpr.
class CounterRandom {
 public:
  using result_type = uint32_t;

  explicit constexpr CounterRandom(uint64_t seed, uint64_t stream = 0, uint32_t substream = 0)
      : key_{{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)}},
        counter_{
            {0, substream, static_cast<uint32_t>(stream), static_cast<uint32_t>(stream >> 32)}} {}

  static constexpr uint32_t min() { return 0; }
  static constexpr uint32_t max() { return UINT32_MAX; }
  constexpr uint32_t operator()() { return Next32(); }

  constexpr uint32_t Next32() {
    if (used_ == 4) {
      block_ = PhiloxBlock(key_, counter_);
      ++counter_.words[0];
      used_ = 0;
    }
    return block_.words[used_++];
  }
  constexpr uint64_t Next64() {
    const uint64_t low = Next32();
    return low | (uint64_t{Next32()} << 32);
  }
  constexpr double UniformDouble() { return UnitDouble(Next64()); }  // [0, 1)
  constexpr float UniformFloat() { return UnitFloat(Next32()); }     // [0, 1)
  // Returns an unbiased uniform integer in [low, high] (Lemire 2019). Requires low <= high.
  constexpr int64_t UniformInt(int64_t low, int64_t high) {
    // Uses unsigned arithmetic, so that the widest range does not overflow. A range of 0 then
    // stands for 2^64.
    const uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low) + 1;
    if (range == 0) return static_cast<int64_t>(Next64());
    uint64_t drawn = Next64();
    if (drawn * range < range) {
      const uint64_t threshold = -range % range;
      while (drawn * range < threshold) drawn = Next64();
    }
    return static_cast<int64_t>(static_cast<uint64_t>(low) + HighProduct(drawn, range));
  }

  // Returns the position of the next word in the stream, from 0. From() returns the same stream
  // from word `position` on, so that several threads can read parts of the stream.
  constexpr uint64_t position() const { return uint64_t{counter_.words[0]} * 4 + used_ - 4; }
  constexpr CounterRandom From(uint64_t position) const {
    CounterRandom other = *this;
    other.counter_.words[0] = static_cast<uint32_t>(position / 4);
    other.used_ = 4;
    for (uint64_t word = 0; word < position % 4; ++word) other.Next32();
    return other;
  }

  // Puts `items` into random order, each order with the same probability.
  template <typename T>
  void Shuffle(std::span<T> items) {
    for (size_t i = items.size(); i > 1; --i) {
      using std::swap;
      swap(items[i - 1], items[static_cast<size_t>(UniformInt(0, static_cast<int64_t>(i) - 1))]);
    }
  }

 private:
  PhiloxKey key_;
  PhiloxCounter counter_;  // counter of the next block
  PhiloxCounter block_{};
  uint32_t used_ = 4;  // words of block_ already returned
};

}  // namespace vrp
