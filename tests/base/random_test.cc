#include "core/base/random.h"

#include <array>
#include <set>
#include <vector>

#include "gtest/gtest.h"

namespace vrp {
namespace {

struct KnownAnswer {
  PhiloxCounter counter;
  PhiloxKey key;
  PhiloxCounter result;
};

// The known answers for philox4x32-10 in Random123's file kat_vectors (Salmon et al. 2011).
constexpr std::array<KnownAnswer, 3> kKnownAnswers = {{
    {{{0, 0, 0, 0}}, {{0, 0}}, {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}}},
    {{{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}},
     {{0xffffffff, 0xffffffff}},
     {{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}}},
    {{{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}},
     {{0xa4093822, 0x299f31d0}},
     {{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}},
}};

TEST(PhiloxTest, MatchesTheKnownAnswersOfRandom123) {
  for (const KnownAnswer& known : kKnownAnswers) {
    const PhiloxCounter block = PhiloxBlock(known.key, known.counter);
    for (int i = 0; i < 4; ++i) EXPECT_EQ(block.words[i], known.result.words[i]);
  }
}

TEST(CounterRandomTest, ReadsTheBlocksOfItsKeyInOrder) {
  CounterRandom random(0, 0, 0);
  const PhiloxCounter first = PhiloxBlock({{0, 0}}, {{0, 0, 0, 0}});
  const PhiloxCounter second = PhiloxBlock({{0, 0}}, {{1, 0, 0, 0}});
  for (int i = 0; i < 4; ++i) EXPECT_EQ(random(), first.words[i]);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(random(), second.words[i]);
}

TEST(CounterRandomTest, ContinuesFromAnyPosition) {
  CounterRandom random(3, 4, 5);
  for (uint64_t position = 0; position < 11; ++position) {
    EXPECT_EQ(random.position(), position);
    CounterRandom other = CounterRandom(3, 4, 5).From(position);
    EXPECT_EQ(other.position(), position);
    CounterRandom copy = random;
    for (int i = 0; i < 6; ++i) EXPECT_EQ(other.Next32(), copy.Next32());
    EXPECT_EQ(other.position(), position + 6);
    random.Next32();
  }
  EXPECT_EQ(random.From(2)(), CounterRandom(3, 4, 5).From(2)());
}

TEST(CounterRandomTest, WorksAtCompileTime) {
  constexpr int64_t kDrawn = CounterRandom(1).UniformInt(-5, 5);
  EXPECT_EQ(CounterRandom(1).UniformInt(-5, 5), kDrawn);
}

TEST(HighProductTest, IsTheUpperHalfOfTheProduct) {
  EXPECT_EQ(HighProduct(UINT64_MAX, UINT64_MAX), UINT64_MAX - 1);
  EXPECT_EQ(HighProduct(uint64_t{1} << 32, uint64_t{1} << 32), 1);
  EXPECT_EQ(HighProduct(UINT64_MAX, 1), 0);
  EXPECT_EQ(HighProduct(0x123456789abcdef0, 0xfedcba9876543210), 0x121fa00ad77d7422);
}

TEST(CounterRandomTest, SeedStreamAndSubstreamSelectDifferentSequences) {
  std::set<uint64_t> firsts;
  for (const uint64_t seed : {1ULL, 2ULL, 1ULL << 40}) {
    for (const uint64_t stream : {0ULL, 1ULL, 1ULL << 40}) {
      for (const uint32_t substream : {0u, 1u}) {
        firsts.insert(CounterRandom(seed, stream, substream).Next64());
      }
    }
  }
  EXPECT_EQ(firsts.size(), 18u);
}

TEST(CounterRandomTest, UniformNumbersFillTheUnitInterval) {
  CounterRandom random(7);
  double sum = 0;
  double low = 1;
  double high = 0;
  for (int i = 0; i < 100000; ++i) {
    const double value = i % 2 == 0 ? random.UniformDouble() : random.UniformFloat();
    ASSERT_GE(value, 0);
    ASSERT_LT(value, 1);
    sum += value;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  EXPECT_NEAR(sum / 100000, 0.5, 0.005);  // 5.5 standard deviations
  EXPECT_LT(low, 0.001);
  EXPECT_GT(high, 0.999);
}

TEST(CounterRandomTest, UnitValuesStayBelowOneAtTheLargestWord) {
  EXPECT_LT(UnitFloat(0xffffffffu), 1.0f);
  EXPECT_LT(UnitDouble(~uint64_t{0}), 1.0);
  EXPECT_EQ(UnitDouble(0), 0.0);
}

TEST(CounterRandomTest, UniformIntReturnsEachValueEquallyOften) {
  CounterRandom random(3);
  std::array<int, 7> counts{};
  for (int i = 0; i < 70000; ++i) {
    const int64_t value = random.UniformInt(-3, 3);
    ASSERT_GE(value, -3);
    ASSERT_LE(value, 3);
    ++counts[static_cast<size_t>(value + 3)];
  }
  for (const int count : counts) EXPECT_NEAR(count, 10000, 500);
}

TEST(CounterRandomTest, UniformIntHandlesTheWidestAndTheNarrowestRange) {
  CounterRandom random(3);
  EXPECT_EQ(random.UniformInt(5, 5), 5);
  bool negative = false;
  bool positive = false;
  for (int i = 0; i < 64; ++i) {
    const int64_t value = random.UniformInt(INT64_MIN, INT64_MAX);
    (value < 0 ? negative : positive) = true;
  }
  EXPECT_TRUE(negative && positive);
}

TEST(CounterRandomTest, UniformIntIsUnbiasedForRangesThatDoNotDivideTwoToThe64) {
  // The range has 3/4 * 2^64 values. If UniformInt took a remainder, half of its results would lie
  // in the lowest third. If it multiplied without rejection, it would favour every third value.
  const int64_t high = INT64_MAX / 2;
  CounterRandom random(9);
  int lowest_third = 0;
  int every_third = 0;
  for (int i = 0; i < 30000; ++i) {
    const int64_t value = random.UniformInt(INT64_MIN, high);
    lowest_third += value < INT64_MIN / 2 ? 1 : 0;
    every_third += (static_cast<uint64_t>(value) - static_cast<uint64_t>(INT64_MIN)) % 3 == 0;
  }
  EXPECT_NEAR(lowest_third, 10000, 450);
  EXPECT_NEAR(every_third, 10000, 450);
}

TEST(CounterRandomTest, ShuffleKeepsTheItemsAndReachesEveryOrder) {
  std::set<std::vector<int>> orders;
  CounterRandom random(1);
  for (int i = 0; i < 500; ++i) {
    std::vector<int> items = {1, 2, 3, 4};
    random.Shuffle(std::span<int>(items));
    EXPECT_EQ(std::multiset<int>(items.begin(), items.end()), (std::multiset<int>{1, 2, 3, 4}));
    orders.insert(items);
  }
  EXPECT_EQ(orders.size(), 24u);
}

}  // namespace
}  // namespace vrp
