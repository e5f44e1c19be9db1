#include "core/problem/instance/metric.h"

#include "core/problem/instance/instance.h"
#include "gtest/gtest.h"

namespace vrp {
namespace {

TEST(MetricTest, RoundsDistancesByEachMetric) {
  const Position origin{0, 0};
  const Position diagonal{1, 1};  // at distance 1.41421...
  EXPECT_DOUBLE_EQ(MetricDistance(Metric::kExact, origin, diagonal), 1.4142135623730951);
  EXPECT_EQ(MetricDistance(Metric::kRounded, origin, diagonal), 1);
  EXPECT_EQ(MetricDistance(Metric::kCeiled, origin, diagonal), 2);
  EXPECT_EQ(MetricDistance(Metric::kDimacs, origin, diagonal), 1.4);
  EXPECT_EQ(MetricDistance(Metric::kScaled1000, origin, diagonal), 1414);
}

TEST(MetricTest, RoundsHalvesUpAndKeepsIntegers) {
  EXPECT_EQ(MetricDistance(Metric::kRounded, {0, 0}, {2.5, 0}), 3);
  for (const Metric metric : {Metric::kExact, Metric::kRounded, Metric::kCeiled, Metric::kDimacs}) {
    EXPECT_EQ(MetricDistance(metric, {0, 0}, {3, 4}), 5);
    EXPECT_EQ(MetricDistance(metric, {7, 7}, {7, 7}), 0);
  }
}

TEST(MetricTest, RoundsSumsOfTenthsToTenths) {
  double sum = 0;
  for (int i = 0; i < 1000; ++i) sum += 0.1;
  EXPECT_NE(sum, 100.0);
  EXPECT_EQ(MetricSum(Metric::kDimacs, sum), 100.0);
  EXPECT_EQ(MetricSum(Metric::kExact, sum), sum);
}

TEST(MetricTest, ParsesItsNames) {
  for (const Metric metric :
       {Metric::kExact, Metric::kRounded, Metric::kCeiled, Metric::kDimacs, Metric::kScaled1000}) {
    EXPECT_EQ(MetricFromName(MetricName(metric)), metric);
  }
  EXPECT_EQ(MetricName(Metric::kRounded), "cvrplib");
  EXPECT_EQ(MetricFromName("euclid"), std::nullopt);
  EXPECT_EQ(KindFromName(KindName(ProblemKind::kVrptw)), ProblemKind::kVrptw);
  EXPECT_EQ(KindFromName("CVRP"), std::nullopt);
}

}  // namespace
}  // namespace vrp
