#include "core/exchange/rank_group.h"

#include <atomic>

#include "core/exchange/gradient_exchange.h"
#include "gtest/gtest.h"
#include "tests/exchange/thread_exchange.h"

namespace vrp {
namespace {

using Values = std::vector<double>;

TEST(RankGroupTest, IsAloneWithoutAnExchange) {
  RankGroup group(nullptr);
  EXPECT_TRUE(group.alone());
  EXPECT_TRUE(group.leads());
  EXPECT_EQ(*group.Gather(absl::OkStatus(), Values{1, 2}), (Values{1, 2}));
  EXPECT_EQ(*group.Join(absl::OkStatus(), Values{3}), Values{3});
  EXPECT_EQ(group.Meet(absl::DataLossError("lost")), absl::DataLossError("lost"));
}

TEST(RankGroupTest, GathersAndJoinsInTheOrderOfTheRanks) {
  test::RunRanks(3, [](GradientExchange& exchange) {
    RankGroup group(&exchange);
    const double rank = exchange.rank();
    EXPECT_EQ(*group.Gather(absl::OkStatus(), Values{rank, 10 * rank}),
              (Values{0, 0, 1, 10, 2, 20}));
    const Values own(static_cast<size_t>(rank), rank);  // none, {1}, {2, 2}
    EXPECT_EQ(*group.Join(absl::OkStatus(), own), (Values{1, 2, 2}));
    std::string bytes = exchange.rank() == 0 ? "of the leader" : "other";
    ASSERT_TRUE(group.Share(absl::OkStatus(), bytes).ok());
    EXPECT_EQ(bytes, "of the leader");
  });
}

TEST(RankGroupTest, SumsGradientsToTheSameBitsAtAllRanks) {
  // In single precision, 1 would vanish beside 2^25.
  constexpr std::array<float, 3> kOwn = {33554432.0F, 1.0F, -33554432.0F};
  test::RunRanks(3, [&](GradientExchange& exchange) {
    RankGroup group(&exchange);
    std::vector<float> gradient(5, kOwn[static_cast<size_t>(exchange.rank())]);
    ASSERT_TRUE(group.SumGradient(gradient).ok());
    EXPECT_EQ(gradient, std::vector<float>(5, 1.0F));
  });
}

TEST(RankGroupTest, TellsAllRanksTheErrorOfOneInTheirNextCall) {
  test::RunRanks(3, [](GradientExchange& exchange) {
    RankGroup group(&exchange);
    absl::Status status;
    switch (exchange.rank()) {
      case 0:
        status = group.Join(absl::OkStatus(), Values(7, 1)).status();
        break;
      case 1:
        group.Fail(absl::DataLossError("labels: lost"));
        break;
      default: {
        std::string bytes;
        status = group.Share(absl::OkStatus(), bytes);
      }
    }
    EXPECT_TRUE(group.failed());
    if (exchange.rank() != 1) {
      EXPECT_EQ(status, absl::DataLossError("rank 1: labels: lost"));
    }
  });
}

TEST(RankGroupTest, StaysFailed) {
  test::RunRanks(2, [](GradientExchange& exchange) {
    RankGroup group(&exchange);
    const bool leads = group.leads();
    EXPECT_EQ(group.Meet(leads ? absl::CancelledError("stopped") : absl::OkStatus()),
              absl::CancelledError("stopped"));
    group.Fail(absl::CancelledError("stopped"));  // says nothing, because all know
    EXPECT_EQ(group.Meet(absl::OkStatus()).code(), absl::StatusCode::kInternal);
  });
}

}  // namespace
}  // namespace vrp
