// Tests searches that start from a policy's plan.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/steady_time.h"
#include "core/search/search.h"
#include "core/solve/solver.h"
#include "tests/solve/fake_policy.h"
#include "tests/solve/policy_testing.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using test::AnInstance;
using test::DecodeIncomplete;
using test::DecodeNearestNeighbour;
using test::DecodeUntilStopped;
using test::FakePolicy;
using test::OptionsFor;
using test::TwentyCustomers;
using testing::HasSubstr;

TEST(SeededTest, StartsTheSearchFromThePolicysPlan) {
  // The policy returns the plan of a long search, which a search without iterations would not find.
  const Instance instance = AnInstance().WithCustomers(60).RandomDemands().Capacity(30).Build();
  SearchOptions search;
  search.max_iterations = 30'000;
  const SearchResult reference = *Search(instance, search);
  const auto policy = std::make_shared<FakePolicy>([&](const Instance&, const DecodeOptions&) {
    return std::vector<DecodedPlan>{{reference.plan}};
  });
  SolveOptions options = OptionsFor(policy, Strategy::kSeeded);
  options.max_iterations = 0;
  const auto answer = Solve(instance, options);
  ASSERT_TRUE(answer.ok());
  EXPECT_LE(answer->solution.cost, reference.cost + 1e-9);
  EXPECT_EQ(answer->strategy, Strategy::kSeeded);
  EXPECT_EQ(answer->policy_note, "");

  options.strategy = Strategy::kSearch;
  const auto alone = Solve(instance, options);
  EXPECT_GT(alone->solution.cost, reference.cost + 1e-9);
  EXPECT_EQ(alone->strategy, Strategy::kSearch);
}

TEST(AutoTest, SearchesWithoutTheModelAndNamesTheReason) {
  const auto policy = std::make_shared<FakePolicy>(DecodeNearestNeighbour);
  SolveOptions options = OptionsFor(policy, Strategy::kAuto);
  options.policy_named = true;
  options.max_iterations = 10;
  const auto answer = Solve(TwentyCustomers(), options);
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_TRUE(policy->requests().empty());
  EXPECT_EQ(answer->strategy, Strategy::kSearch);
  EXPECT_THAT(answer->policy_note, HasSubstr("no gain"));
  options.policy_named = false;
  EXPECT_EQ(Solve(TwentyCustomers(), options)->policy_note, "");
}

struct PolicyFailure {
  std::string name;
  FakePolicy::Answer answer;
  absl::Status supports;
  std::string note;
};

class PolicyFailureTest : public testing::TestWithParam<PolicyFailure> {};

TEST_P(PolicyFailureTest, SearchesWithoutThePolicyAndNamesTheReason) {
  const auto policy = std::make_shared<FakePolicy>(GetParam().answer, GetParam().supports);
  SolveOptions options = OptionsFor(policy, Strategy::kSeeded);
  options.budget = absl::Seconds(5);
  const auto answer = Solve(TwentyCustomers(), options);
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_TRUE(answer->check.feasible);
  EXPECT_EQ(answer->strategy, Strategy::kSearch);
  EXPECT_THAT(answer->policy_note, HasSubstr(GetParam().note));
}

INSTANTIATE_TEST_SUITE_P(
    All, PolicyFailureTest,
    testing::Values(
        PolicyFailure{"Late", DecodeUntilStopped, absl::OkStatus(), "not done by the deadline"},
        PolicyFailure{"Infeasible", DecodeIncomplete, absl::OkStatus(), "infeasible plan"},
        PolicyFailure{"Unsupported", DecodeNearestNeighbour,
                      absl::UnimplementedError("windows: not known"), "windows"},
        PolicyFailure{"Failing",
                      [](const Instance&, const DecodeOptions&) {
                        return absl::InternalError("device lost");
                      },
                      absl::OkStatus(), "device lost"}),
    [](const auto& variant) { return variant.param.name; });

TEST(SeededTest, SkipsThePolicyForExactSearch) {
  const auto policy = std::make_shared<FakePolicy>(DecodeNearestNeighbour);
  const auto answer =
      Solve(AnInstance().WithCustomers(5).Build(), OptionsFor(policy, Strategy::kSeeded));
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->ended_by, SolveEnd::kOptimal);
  EXPECT_EQ(answer->strategy, Strategy::kSearch);
  EXPECT_THAT(answer->policy_note, HasSubstr("small enough for exact search"));
  EXPECT_TRUE(policy->requests().empty());
}

TEST(SeededTest, GivesThePolicyAFifthOfTheRemainingTime) {
  const auto policy = std::make_shared<FakePolicy>(DecodeNearestNeighbour);
  SolveOptions options = OptionsFor(policy, Strategy::kSeeded);
  options.received = SteadyNow();
  options.budget = absl::Seconds(1000);
  ASSERT_TRUE(Solve(TwentyCustomers(), options).ok());
  ASSERT_EQ(policy->requests().size(), 2);
  EXPECT_EQ(policy->requests()[0].method, DecodeMethod::kGreedy);
  EXPECT_EQ(policy->requests()[1].method, DecodeMethod::kSample);
  for (const DecodeOptions& request : policy->requests()) {
    EXPECT_GT(request.stop.deadline(), options.received + absl::Seconds(100));
    EXPECT_LT(request.stop.deadline(), options.received + absl::Seconds(300));
  }
}

TEST(SeededTest, StartsFromTheBestOfTheGreedyPlanAndTheSamples) {
  // Without iterations, the search stays near its start, which is the plan of a long search here.
  const Instance instance = AnInstance().WithCustomers(60).RandomDemands().Capacity(30).Build();
  SearchOptions search;
  search.max_iterations = 30'000;
  const SearchResult reference = *Search(instance, search);
  const auto policy =
      std::make_shared<FakePolicy>([&](const Instance& given, const DecodeOptions& decode) {
        return decode.method == DecodeMethod::kGreedy ? DecodeNearestNeighbour(given, decode)
                                                      : std::vector<DecodedPlan>{{reference.plan}};
      });
  SolveOptions options = OptionsFor(policy, Strategy::kSeeded);
  options.max_iterations = 0;
  EXPECT_LE(Solve(instance, options)->solution.cost, reference.cost + 1e-9);
}

TEST(SeededTest, UsesTheGreedyPlanIfSamplesAreLate) {
  const auto policy =
      std::make_shared<FakePolicy>([](const Instance& given, const DecodeOptions& decode) {
        if (decode.method == DecodeMethod::kGreedy) return DecodeNearestNeighbour(given, decode);
        return absl::StatusOr<std::vector<DecodedPlan>>(absl::DeadlineExceededError("late"));
      });
  const SolveOptions options = OptionsFor(policy, Strategy::kSeeded);
  const auto answer = Solve(TwentyCustomers(), options);
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(policy->requests().size(), 2);
  EXPECT_EQ(answer->strategy, Strategy::kSeeded);
  EXPECT_EQ(answer->policy_note, "");
  EXPECT_TRUE(answer->check.feasible);
}

TEST(SeededTest, SkipsThePolicyWithoutRemainingTime) {
  const auto policy = std::make_shared<FakePolicy>(DecodeNearestNeighbour);
  SolveOptions options = OptionsFor(policy, Strategy::kSeeded);
  options.received = SteadyNow() - absl::Hours(1);
  const auto answer = Solve(TwentyCustomers(), options);
  ASSERT_TRUE(answer.ok());
  EXPECT_TRUE(policy->requests().empty());
  EXPECT_TRUE(answer->check.feasible);
}

TEST(SeededTest, SolvesConstrainedInstancesWithAndWithoutThePolicy) {
  const Instance instance = AnInstance().WithCustomers(12).MaxDuration(1000).Build();
  const auto single_routes = [](const Instance&, const DecodeOptions&) {
    Plan plan;
    for (NodeIndex customer = 1; customer <= 12; ++customer) plan.push_back({0, {customer}});
    return std::vector<DecodedPlan>{{plan}};
  };
  SolveOptions options = OptionsFor(std::make_shared<FakePolicy>(single_routes), Strategy::kSeeded);
  const auto answer = Solve(instance, options);
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->strategy, Strategy::kSeeded);
  EXPECT_TRUE(answer->check.feasible);

  options.policy =
      std::make_shared<FakePolicy>(single_routes, absl::UnimplementedError("durations: not known"));
  const auto alone = Solve(instance, options);
  ASSERT_TRUE(alone.ok()) << alone.status();
  EXPECT_EQ(alone->strategy, Strategy::kSearch);
  EXPECT_EQ(alone->policy_note, "durations: not known");
  EXPECT_TRUE(alone->check.feasible);
}

}  // namespace
}  // namespace vrp
