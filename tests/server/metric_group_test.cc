#include "server/support/metric_group.h"

#include <cmath>
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace vrp {
namespace {

using testing::ElementsAre;

// Upper bounds of the histogram's buckets, in seconds.
constexpr double kBounds[] = {0.1, 1};

template <typename Metric>
std::vector<MetricFamily> FamiliesOf(const MetricGroup<Metric>& group) {
  std::vector<MetricFamily> families;
  group.AppendTo(families);
  return families;
}

std::vector<uint64_t> CumulativeCounts(const HistogramValue& histogram) {
  std::vector<uint64_t> counts;
  for (const HistogramValue::Bucket& bucket : histogram.buckets)
    counts.push_back(bucket.cumulative_count);
  return counts;
}

TEST(MetricGroup, ReturnsTheSameMetricForEqualLabels) {
  MetricGroup<Counter> group("requests", "Requests.");
  group.Add({{"rpc", "Solve"}}).Increment();
  group.Add({{"rpc", "Solve"}}).Increment();
  group.Add({{"rpc", "Watch"}}).Increment();
  const std::vector<MetricFamily> families = FamiliesOf(group);
  ASSERT_EQ(families.size(), 1u);
  EXPECT_EQ(families[0].name, "requests");
  EXPECT_EQ(families[0].type, MetricType::kCounter);
  ASSERT_EQ(families[0].samples.size(), 2u);
  EXPECT_EQ(families[0].samples[0].labels[0].value, "Solve");
  EXPECT_EQ(families[0].samples[0].value, 2);
  EXPECT_EQ(families[0].samples[1].value, 1);
}

TEST(MetricGroup, OmitsFamiliesWithoutSamples) {
  EXPECT_TRUE(FamiliesOf(MetricGroup<Gauge>("connections", "Connections.")).empty());
}

TEST(Gauge, GrowsAndShrinks) {
  MetricGroup<Gauge> group("connections", "Connections.");
  Gauge& gauge = group.Add({});
  gauge.Increment();
  gauge.Increment();
  gauge.Decrement();
  EXPECT_EQ(FamiliesOf(group)[0].samples[0].value, 1);
}

TEST(Histogram, CountsAnObservationAtABoundIntoItsBucket) {
  MetricGroup<Histogram> group("seconds", "Durations.");
  Histogram& histogram = group.Add({}, kBounds);
  for (const double value : {0.05, 0.1, 0.5, 1.0, 7.0}) histogram.Observe(value);
  const HistogramValue value = FamiliesOf(group)[0].samples[0].histogram;
  EXPECT_THAT(CumulativeCounts(value), ElementsAre(2, 4, 5));
  EXPECT_TRUE(std::isinf(value.buckets.back().upper_bound));
  EXPECT_EQ(value.count, 5u);
  EXPECT_DOUBLE_EQ(value.sum, 8.65);
}

TEST(Counter, LosesNoIncrementOfConcurrentThreads) {
  constexpr int kIncrements = 10000;
  MetricGroup<Counter> group("requests", "Requests.");
  Counter& counter = group.Add({});
  const auto increment = [&counter] {
    for (int i = 0; i < kIncrements; ++i) counter.Increment();
  };
  std::thread other(increment);
  increment();
  other.join();
  EXPECT_EQ(FamiliesOf(group)[0].samples[0].value, 2 * kIncrements);
}

}  // namespace
}  // namespace vrp
