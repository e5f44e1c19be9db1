// Tests the fallback to search when a network is too slow for the budget.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <new>

#include "core/base/steady_time.h"
#include "core/solve/solver.h"
#include "tests/solve/fake_policy.h"
#include "tests/solve/policy_testing.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using test::AnInstance;
using test::DecodeNearestNeighbour;
using test::DecodeUntilStopped;
using test::FakePolicy;
using test::OptionsFor;
using test::TwentyCustomers;
using testing::HasSubstr;

class LateNetworkTest : public testing::TestWithParam<Strategy> {
 protected:
  static SolveOptions Options(std::shared_ptr<Policy> policy) {
    SolveOptions options = OptionsFor(std::move(policy), GetParam());
    options.budget = absl::Milliseconds(40);
    return options;
  }
};

TEST_P(LateNetworkTest, FallsBackToSearchWithANote) {
  const auto answer =
      Solve(TwentyCustomers(),
            Options(std::make_shared<FakePolicy>(DecodeUntilStopped, absl::OkStatus(), true)));
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_TRUE(answer->check.feasible);
  EXPECT_EQ(answer->strategy, Strategy::kSearch);
  EXPECT_THAT(answer->policy_note, HasSubstr("decoding of 20 customers was not done in time"));
  EXPECT_THAT(answer->policy_note, HasSubstr("the budget is 40 ms"));
  EXPECT_THAT(answer->policy_note, HasSubstr("search gave the plan"));
}

TEST_P(LateNetworkTest, FailsAndNamesTheBudgetIfFallbackIsForbidden) {
  SolveOptions options =
      Options(std::make_shared<FakePolicy>(DecodeUntilStopped, absl::OkStatus(), true));
  options.network_only = true;
  const auto answer = Solve(TwentyCustomers(), options);
  EXPECT_TRUE(absl::IsDeadlineExceeded(answer.status())) << answer.status();
  EXPECT_THAT(std::string(answer.status().message()), testing::StartsWith("budget: 40 ms"));
}

INSTANTIATE_TEST_SUITE_P(Strategies, LateNetworkTest,
                         testing::Values(Strategy::kGreedy, Strategy::kSample, Strategy::kBeam,
                                         Strategy::kMultiStart, Strategy::kImproved),
                         [](const auto& variant) {
                           return std::string(StrategyName(variant.param));
                         });

// Decodes by nearest neighbour. Takes half a millisecond per node and polls the stop condition, as
// a network does.
absl::StatusOr<std::vector<DecodedPlan>> DecodeSlowly(const Instance& instance,
                                                      const DecodeOptions& options) {
  const absl::Time done = SteadyNow() + absl::Microseconds(500) * instance.num_nodes();
  while (SteadyNow() < done && !options.stop.ShouldStop()) {
  }
  if (options.stop.ShouldStop()) return absl::DeadlineExceededError("late");
  return DecodeNearestNeighbour(instance, options);
}

TEST(LateNetwork, NamesTheTimeRequiredForDecoding) {
  const Instance instance = AnInstance().WithCustomers(199).Build();
  SolveOptions options = OptionsFor(std::make_shared<FakePolicy>(DecodeSlowly), Strategy::kGreedy);
  options.budget = absl::Milliseconds(20);
  const auto answer = Solve(instance, options);
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->strategy, Strategy::kSearch);
  EXPECT_THAT(answer->policy_note,
              testing::MatchesRegex("greedy decoding of 199 customers takes about [0-9]+ ms "
                                    "here, and the budget is 20 ms; search gave the plan"));
  options.network_only = true;
  EXPECT_THAT(std::string(Solve(instance, options).status().message()),
              testing::MatchesRegex("budget: 20 ms is less than the [0-9]+ ms that greedy "
                                    "decoding of 199 customers takes here; raise it to [0-9]+ ms, "
                                    "or unset network_only"));
}

// A measurement would make the caller wait beyond its deadline.
TEST(LateNetwork, IsNotMeasuredBeyondTheDeadline) {
  const Instance instance = AnInstance().WithCustomers(199).Build();
  const auto policy = std::make_shared<FakePolicy>(DecodeSlowly);
  SolveOptions options = OptionsFor(policy, Strategy::kGreedy);
  options.deadline = SteadyNow() + absl::Milliseconds(50);
  const auto answer = Solve(instance, options);
  EXPECT_LE(policy->requests().size(), 1u) << "none if the deadline passes before the decoding";
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_THAT(answer->policy_note, HasSubstr("was not done in time: the deadline leaves"));
}

TEST(LateNetwork, IsNotMeasuredAgainAfterATimeout) {
  DecodeBatcher batcher(
      {.run_later = [](absl::AnyInvocable<void()>) {}, .has_other_work = [] { return false; }});
  const auto policy = std::make_shared<FakePolicy>(DecodeUntilStopped);
  SolveOptions options = OptionsFor(policy, Strategy::kGreedy);
  options.batcher = &batcher;
  options.budget = absl::Milliseconds(20);
  const Instance instance = AnInstance().WithCustomers(199).Build();
  const auto first = Solve(instance, options);
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_THAT(first->policy_note, HasSubstr("was not done in time: it takes more than"));
  const size_t calls = policy->requests().size();  // includes the measurement
  const auto repeated = Solve(instance, options);
  EXPECT_EQ(policy->requests().size(), calls);
  EXPECT_THAT(repeated->policy_note, HasSubstr("it takes more than"));
}

TEST(LateNetwork, FailsIfSearchRunsOutOfMemory) {
  DecodeBatcher batcher({.run_later = [](absl::AnyInvocable<void()> task) { task(); },
                         .has_other_work = [] { return false; }});
  SolveOptions options =
      OptionsFor(std::make_shared<FakePolicy>(DecodeUntilStopped), Strategy::kGreedy);
  options.batcher = &batcher;
  options.budget = absl::Milliseconds(20);
  options.on_improvement = [](const Plan&, Cost) { throw std::bad_alloc(); };
  absl::Status status;
  SolveLater(TwentyCustomers(), options,
             [&](const absl::StatusOr<SolveAnswer>& answer) { status = answer.status(); });
  EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
}

TEST(LateNetwork, IsSkippedOnceItsTimeIsKnown) {
  DecodeBatcher batcher(
      {.run_later = [](absl::AnyInvocable<void()>) {}, .has_other_work = [] { return false; }});
  const auto policy = std::make_shared<FakePolicy>(DecodeSlowly);
  SolveOptions options = OptionsFor(policy, Strategy::kGreedy);
  options.batcher = &batcher;
  options.budget = absl::Milliseconds(20);
  const Instance instance = AnInstance().WithCustomers(199).Build();
  ASSERT_TRUE(Solve(instance, options).ok());
  const size_t calls = policy->requests().size();  // includes the measurement
  const auto repeated = Solve(instance, options);
  ASSERT_TRUE(repeated.ok()) << repeated.status();
  EXPECT_EQ(policy->requests().size(), calls);
  EXPECT_EQ(repeated->strategy, Strategy::kSearch);
  EXPECT_THAT(repeated->policy_note, HasSubstr("takes about"));
  options.budget = absl::Seconds(30);
  EXPECT_EQ(Solve(instance, options)->strategy, Strategy::kGreedy) << "the budget suffices";
}

}  // namespace
}  // namespace vrp
