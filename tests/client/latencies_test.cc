#include "client/load/latencies.h"

#include "gtest/gtest.h"

namespace vrp::client {
namespace {

TEST(Latencies, AreZeroWithoutRequests) {
  EXPECT_TRUE(Latencies().empty());
  EXPECT_EQ(Latencies().Mean(), absl::ZeroDuration());
  EXPECT_EQ(Latencies().Quantile(0.99), absl::ZeroDuration());
}

TEST(Latencies, ReturnNearestRankQuantilesOfUnsortedValues) {
  Latencies latencies;
  for (const int ms : {70, 10, 100, 30, 50, 20, 90, 40, 80, 60}) {
    latencies.Add(absl::Milliseconds(ms));
  }
  EXPECT_EQ(latencies.Mean(), absl::Milliseconds(55));
  EXPECT_EQ(latencies.Quantile(0), absl::Milliseconds(10));
  EXPECT_EQ(latencies.Quantile(0.5), absl::Milliseconds(50));
  EXPECT_EQ(latencies.Quantile(0.51), absl::Milliseconds(60));
  EXPECT_EQ(latencies.Quantile(0.99), absl::Milliseconds(100));
  EXPECT_EQ(latencies.Quantile(1), absl::Milliseconds(100));
}

}  // namespace
}  // namespace vrp::client
