// Tests strategies that return a policy's own plan.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/steady_time.h"
#include "core/search/build/construct.h"
#include "core/solve/solver.h"
#include "tests/solve/fake_policy.h"
#include "tests/solve/policy_testing.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using test::AnInstance;
using test::DecodeIncomplete;
using test::DecodeNearestNeighbour;
using test::FakePolicy;
using test::OptionsFor;
using test::TwentyCustomers;
using testing::HasSubstr;

TEST(PolicyStrategiesTest, ReturnsThePolicysPlanForGreedySampleAndBeam) {
  const Instance instance = TwentyCustomers();
  for (const auto& [strategy, method, width] :
       {std::tuple(Strategy::kGreedy, DecodeMethod::kGreedy, 1),
        std::tuple(Strategy::kSample, DecodeMethod::kSample, 16),
        std::tuple(Strategy::kBeam, DecodeMethod::kBeam, 16)}) {
    const auto policy = std::make_shared<FakePolicy>(DecodeNearestNeighbour);
    SolveOptions options = OptionsFor(policy, strategy);
    options.seed = 77;
    const auto answer = Solve(instance, options);
    ASSERT_TRUE(answer.ok()) << answer.status();
    EXPECT_EQ(answer->solution.cost, PlanCost(instance, NearestNeighbourPlan(instance)));
    EXPECT_EQ(answer->strategy, strategy);
    EXPECT_EQ(answer->ended_by, SolveEnd::kFinished);
    EXPECT_TRUE(answer->check.feasible);
    ASSERT_EQ(policy->requests().size(), 1);
    EXPECT_EQ(policy->requests()[0].method, method);
    EXPECT_EQ(policy->requests()[0].width, width);
    EXPECT_EQ(policy->requests()[0].seed, 77);
  }
}

TEST(PolicyStrategiesTest, ReportsTimeAndRoundsOfImprovement) {
  const absl::Time start = SteadyNow();
  const Instance instance = TwentyCustomers();
  const auto policy = std::make_shared<FakePolicy>(
      [](const Instance& given, const DecodeOptions& options) {
        DecodedPlan decoded{NearestNeighbourPlan(given)};
        decoded.rounds = std::min(options.improvement->rounds, 100);
        decoded.improving = absl::Microseconds(1);
        return absl::StatusOr<std::vector<DecodedPlan>>({decoded});
      },
      absl::OkStatus(), true);
  SolveOptions options = OptionsFor(policy, Strategy::kImproved);
  options.rounds = 90;
  options.received = start;
  const auto answer = Solve(instance, options);
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->strategy, Strategy::kImproved);
  EXPECT_EQ(answer->iterations, 90);
  EXPECT_EQ(answer->ended_by, SolveEnd::kIterations);
  EXPECT_EQ(answer->times.search, absl::Microseconds(1));
  EXPECT_GE(answer->times.decode, absl::ZeroDuration());
  ASSERT_EQ(policy->requests().size(), 1);
  EXPECT_EQ(policy->requests()[0].improvement->rounds, 90);
  EXPECT_LT(policy->requests()[0].improvement->until, policy->requests()[0].stop.deadline());
  EXPECT_LT(policy->requests()[0].stop.deadline() - absl::Seconds(30), start)
      << "some time is left for search";
  options.rounds = 1000;
  EXPECT_EQ(Solve(instance, options)->ended_by, SolveEnd::kBudget);
  options.rounds = kMaxRounds + 1;
  EXPECT_TRUE(absl::IsInvalidArgument(Solve(instance, options).status()));
}

TEST(PolicyStrategiesTest, RefusesImprovementWithoutASupportingDevice) {
  const auto answer =
      Solve(TwentyCustomers(),
            OptionsFor(std::make_shared<FakePolicy>(DecodeNearestNeighbour), Strategy::kImproved));
  EXPECT_TRUE(absl::IsUnimplemented(answer.status())) << answer.status();
  EXPECT_THAT(std::string(answer.status().message()), HasSubstr("GPU"));
}

TEST(PolicyStrategiesTest, RefusesANetworkStrategyWithoutAModel) {
  const auto answer = Solve(TwentyCustomers(), OptionsFor(nullptr, Strategy::kBeam));
  EXPECT_TRUE(absl::IsFailedPrecondition(answer.status()));
  EXPECT_THAT(std::string(answer.status().message()), HasSubstr("beam"));
}

TEST(PolicyStrategiesTest, RejectsAnInfeasiblePlanOfThePolicy) {
  const auto answer =
      Solve(TwentyCustomers(),
            OptionsFor(std::make_shared<FakePolicy>(DecodeIncomplete), Strategy::kGreedy));
  EXPECT_TRUE(absl::IsInternal(answer.status())) << answer.status();
}

TEST(PolicyStrategiesTest, RejectsAWrongNumberOfPlans) {
  const auto none = [](const Instance&, const DecodeOptions&) {
    return std::vector<DecodedPlan>{};
  };
  EXPECT_TRUE(absl::IsInternal(
      Solve(TwentyCustomers(), OptionsFor(std::make_shared<FakePolicy>(none), Strategy::kGreedy))
          .status()));
}

TEST(PolicyStrategiesTest, ReturnsErrorsOfThePolicy) {
  const auto unsupported =
      std::make_shared<FakePolicy>(DecodeNearestNeighbour, absl::UnimplementedError("no matrices"));
  EXPECT_TRUE(absl::IsUnimplemented(
      Solve(TwentyCustomers(), OptionsFor(unsupported, Strategy::kGreedy)).status()));
}

TEST(PolicyStrategiesTest, RequestsAllStartsInEightAugmentations) {
  const auto policy = std::make_shared<FakePolicy>(DecodeNearestNeighbour);
  const auto answer = Solve(TwentyCustomers(), OptionsFor(policy, Strategy::kMultiStart));
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->strategy, Strategy::kMultiStart);
  EXPECT_EQ(StrategyName(Strategy::kMultiStart), "multi_start");
  ASSERT_EQ(policy->requests().size(), 1u);
  EXPECT_EQ(policy->requests()[0].method, DecodeMethod::kMultiStart);
  EXPECT_EQ(policy->requests()[0].width, 0);
  EXPECT_EQ(policy->requests()[0].augmentations, 8);
}

TEST(PolicyStrategiesTest, ChecksOpenRoutesAndDistanceLimitsOfThePolicysPlan) {
  const auto one_route = [](const Instance&, const DecodeOptions&) {
    return std::vector<DecodedPlan>{{{{0, {1, 2}}}}};
  };
  const auto policy = std::make_shared<FakePolicy>(one_route);
  const auto line = AnInstance().At({{0, 0}, {10, 0}, {20, 0}}).OpenEnd();
  auto limited = line;
  const auto answer = Solve(limited.MaxDistance(20).Build(), OptionsFor(policy, Strategy::kGreedy));
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->solution.cost, 20);
  EXPECT_TRUE(answer->check.feasible);
  const auto too_far =
      Solve(limited.MaxDistance(19).Build(), OptionsFor(policy, Strategy::kGreedy));
  EXPECT_TRUE(absl::IsInternal(too_far.status())) << too_far.status();
  SolveOptions search = OptionsFor(policy, Strategy::kSearch);
  search.budget = absl::Milliseconds(50);
  const auto searched = Solve(limited.MaxDistance(20).Build(), search);
  ASSERT_TRUE(searched.ok()) << searched.status();
  EXPECT_EQ(searched->solution.cost, 20);
}

}  // namespace
}  // namespace vrp
