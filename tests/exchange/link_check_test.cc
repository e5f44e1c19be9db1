#include "core/exchange/link_check.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/exchange/thread_exchange.h"

namespace vrp {
namespace {

using testing::HasSubstr;
using testing::Not;

// Two ranks with 1 Gbit/s and a gradient of 2.5 MB: 20 ms for the gradient.
LinkFigures Gigabit() {
  return {.ranks = 2,
          .gradient_bytes = 2'500'000,
          .bytes_per_second = 125e6,
          .latency_seconds = 1e-4,
          .compute_seconds = 0.5,
          .batch_size = 512};
}

TEST(LinkCheckTest, AddsTheTimeOfTheGradientAndOfFiveMessages) {
  EXPECT_NEAR(ExchangeSeconds(Gigabit()), 0.0205, 1e-12);
  EXPECT_NEAR(ExchangeShare(Gigabit()), 0.0205 / 0.5205, 1e-12);
  LinkFigures eight = Gigabit();
  eight.ranks = 8;
  EXPECT_NEAR(ExchangeSeconds(eight), 0.0355, 1e-12);
}

TEST(LinkCheckTest, IsSilentAboutBatchesWhileTheNetworkIsFastEnough) {
  EXPECT_THAT(LinkText(Gigabit()),
              HasSubstr("1.0 Gbit/s, 100 us; the exchange of 2.5 MB takes 20.5 "
                        "ms, 4 % of a step"));
  EXPECT_THAT(LinkText(Gigabit()), Not(HasSubstr("bottleneck")));
  EXPECT_EQ(BatchThatHides(Gigabit(), 0.15), 512);
}

TEST(LinkCheckTest, NamesTheBatchThatHidesASlowNetwork) {
  LinkFigures slow = Gigabit();
  slow.bytes_per_second = 12.5e6;
  EXPECT_THAT(LinkText(slow), HasSubstr("100 Mbit/s"));
  EXPECT_THAT(LinkText(slow), HasSubstr("29 % of a step: the network is the bottleneck"));
  const int64_t batch = BatchThatHides(slow, 0.15);
  EXPECT_THAT(LinkText(slow), HasSubstr("training.batch_size: " + std::to_string(batch)));
  slow.compute_seconds *= static_cast<double>(batch) / 512;
  slow.batch_size = batch;
  EXPECT_LE(ExchangeShare(slow), 0.15);
  EXPECT_GT(ExchangeShare(slow), 0.149);
}

TEST(LinkCheckTest, CountsLatencyToo) {
  LinkFigures far = Gigabit();
  far.latency_seconds = 0.05;
  EXPECT_NEAR(ExchangeSeconds(far), 0.27, 1e-12);
  EXPECT_THAT(LinkText(far), HasSubstr("bottleneck"));
}

TEST(LinkCheckTest, HasNoExchangeWithOneRank) {
  LinkFigures one = Gigabit();
  one.ranks = 1;
  EXPECT_EQ(ExchangeSeconds(one), 0);
  EXPECT_EQ(ExchangeShare(one), 0);
}

TEST(LinkCheckTest, MeasuresTheLinkOfTheRanks) {
  test::RunRanks(2, [](GradientExchange& exchange) {
    RankGroup group(&exchange);
    const absl::StatusOr<LinkFigures> figures = MeasureLink(group, 1000);
    ASSERT_TRUE(figures.ok()) << figures.status();
    EXPECT_EQ(figures->ranks, 2);
    EXPECT_EQ(figures->gradient_bytes, 4000);
    EXPECT_GT(figures->bytes_per_second, 0);
    EXPECT_GT(figures->latency_seconds, 0);
  });
}

}  // namespace
}  // namespace vrp
