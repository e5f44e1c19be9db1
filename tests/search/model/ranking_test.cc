#include "core/search/model/ranking.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

#include "core/search/model/deadline_monitor.h"
#include "core/search/model/fast_random.h"

namespace vrp {
namespace {

std::vector<uint64_t> Sorted(std::vector<uint64_t> keys) {
  std::sort(keys.begin(), keys.end());
  return keys;
}

// `values`: how many different ones.
std::vector<uint64_t> RandomKeys(int32_t size, int32_t values, uint64_t seed) {
  FastRandom random(seed);
  std::vector<uint64_t> keys;
  for (NodeIndex node = 0; node < size; ++node) {
    keys.push_back(RankKey(static_cast<double>(random.Below(values)) / 7, node));
  }
  return keys;
}

TEST(RankingTest, OrdersByValueThenByNode) {
  EXPECT_LT(RankKey(0, 9), RankKey(0.5, 1));
  EXPECT_LT(RankKey(0.5, 1), RankKey(1e30, 0));
  EXPECT_LT(RankKey(2, 3), RankKey(2, 4));
  EXPECT_EQ(RankedNode(RankKey(12.5, 77)), 77);
  EXPECT_EQ(RankedValue(RankKey(12.5, 77)), 12.5F);
}

// Sizes on both sides of where a sample helps; all values alike, few, and as many as keys.
TEST(RankingTest, SelectsWhatSortingPutsFirst) {
  for (const int32_t size : {0, 1, 5, 100, 257, 1000, 4000}) {
    for (const int32_t values : {1, 3, 1000000}) {
      const std::vector<uint64_t> keys = RandomKeys(size, values, 7 + size);
      const std::vector<uint64_t> sorted = Sorted(keys);
      for (const int64_t count : {0, 1, 12, 99, 1000, 5000}) {
        std::vector<uint64_t> first = keys;
        SortLeast(first, count);
        const int64_t expected = std::min<int64_t>(count, size);
        EXPECT_TRUE(std::equal(sorted.begin(), sorted.begin() + expected, first.begin()))
            << size << " " << values << " " << count;
        EXPECT_EQ(Sorted(first), sorted);
      }
    }
  }
}

TEST(RankingTest, SortsInfiniteValuesLast) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::vector<uint64_t> keys = {RankKey(kInfinity, 2), RankKey(7, 3), RankKey(kInfinity, 1),
                                RankKey(0, 4)};
  SortLeast(keys, 3);
  std::vector<NodeIndex> order;
  for (const uint64_t key : keys) order.push_back(RankedNode(key));
  EXPECT_EQ(order, (std::vector<NodeIndex>{4, 3, 1, 2}));
}

TEST(RankingTest, RanksTheLeastValues) {
  for (const int32_t size : {1, 5, 100, 257, 1000, 4000}) {
    std::vector<NodeIndex> nodes;
    std::vector<double> values;
    std::vector<uint64_t> all = RandomKeys(size, 100, size);
    for (const uint64_t key : all) {
      nodes.push_back(RankedNode(key));
      values.push_back(RankedValue(key));
    }
    std::sort(all.begin(), all.end());
    for (const int64_t count : {1, 12, 100}) {
      std::vector<uint64_t> keys;
      RankLeast(values, nodes, count, keys);
      const int64_t expected = std::min<int64_t>(count, size);
      EXPECT_EQ(keys, std::vector(all.begin(), all.begin() + expected)) << size;
    }
  }
}

TEST(RankingTest, SortsByValueAndKeepsTheOrderOfEqualValues) {
  std::vector<uint64_t> keys = RandomKeys(5'000, 50, 3);
  std::vector<uint64_t> sorted = keys;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](uint64_t a, uint64_t b) { return RankedValue(a) < RankedValue(b); });
  SortByValue(keys);
  EXPECT_EQ(keys, sorted);
}

// The sample is misleading here, because it contains only the least values.
TEST(RankingTest, RanksWhereASampleMisleads) {
  std::vector<NodeIndex> nodes(1024);
  std::iota(nodes.begin(), nodes.end(), 0);
  std::vector<double> values(nodes.begin(), nodes.end());
  for (size_t i = 0; i < values.size(); i += 16) values[i] = 0;
  std::vector<uint64_t> keys;
  RankLeast(values, nodes, 200, keys);
  EXPECT_EQ(keys.size(), 200);
  EXPECT_EQ(RankedNode(keys[63]), 1008);
  EXPECT_EQ(RankedNode(keys[64]), 1);
  EXPECT_EQ(RankedNode(keys[199]), 145);
}

TEST(DeadlineMonitorTest, WillMissWhereTheRestTakesLongerThanItsShare) {
  const absl::Time now = SteadyNow();
  const StopCondition never, hour(now + absl::Hours(1), nullptr), past(now, nullptr);
  EXPECT_FALSE(DeadlineMonitor(never, 0.1, 1'000'000).WillMiss(1));
  EXPECT_FALSE(DeadlineMonitor(hour, 0.5, 100).WillMiss(50));
  EXPECT_TRUE(DeadlineMonitor(past, 0.5, 100).WillMiss(99));
  const StopCondition second(now + absl::Seconds(1), nullptr);
  const DeadlineMonitor monitor(second, 0.01, 1'000'000'000);
  while (SteadyNow() < now + absl::Milliseconds(1)) continue;
  EXPECT_TRUE(monitor.WillMiss(1));
}

TEST(DeadlineMonitorTest, WillMissOnceCancelledWhateverTheTime) {
  const auto cancel = std::make_shared<CancelFlag>();
  const StopCondition stop(absl::InfiniteFuture(), cancel);
  const DeadlineMonitor monitor(stop, 1, 10);
  EXPECT_FALSE(monitor.WillMiss(5));
  cancel->Cancel();
  EXPECT_TRUE(monitor.WillMiss(5));
}

}  // namespace
}  // namespace vrp
