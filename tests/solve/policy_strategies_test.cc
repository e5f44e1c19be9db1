#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <new>

#include "core/base/steady_time.h"
#include "core/search/construct.h"
#include "core/search/search.h"
#include "core/solve/solver.h"
#include "tests/solve/fake_policy.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using test::AnInstance;
using test::FakePolicy;
using testing::HasSubstr;

Instance Cvrp() { return AnInstance().WithCustomers(20).RandomDemands().Capacity(25).Build(); }

absl::StatusOr<std::vector<DecodedPlan>> NearestNeighbour(const Instance& instance,
                                                          const DecodeOptions&) {
  return std::vector<DecodedPlan>{{NearestNeighbourPlan(instance)}};
}

absl::StatusOr<std::vector<DecodedPlan>> Incomplete(const Instance&, const DecodeOptions&) {
  return std::vector<DecodedPlan>{{{{0, {1, 2}}}}};
}

absl::StatusOr<std::vector<DecodedPlan>> Late(const Instance&, const DecodeOptions& options) {
  // As a policy does that polls its stop condition at each step and never gets done.
  while (!options.stop.ShouldStop()) {
  }
  return absl::DeadlineExceededError("the rollout was not done by the deadline");
}

SolveOptions With(std::shared_ptr<Policy> policy, Strategy strategy) {
  SolveOptions options;
  options.policy = std::move(policy);
  options.strategy = strategy;
  options.budget = absl::Seconds(30);
  options.max_iterations = 200;
  return options;
}

TEST(PolicyStrategiesTest, GreedySampleAndBeamGiveThePolicysOwnPlan) {
  const Instance instance = Cvrp();
  for (const auto& [strategy, method, width] :
       {std::tuple(Strategy::kGreedy, DecodeMethod::kGreedy, 1),
        std::tuple(Strategy::kSample, DecodeMethod::kSample, 16),
        std::tuple(Strategy::kBeam, DecodeMethod::kBeam, 16)}) {
    const auto policy = std::make_shared<FakePolicy>(NearestNeighbour);
    SolveOptions options = With(policy, strategy);
    options.seed = 77;
    const auto answer = Solve(instance, options);
    ASSERT_TRUE(answer.ok()) << answer.status();
    EXPECT_EQ(answer->solution.cost, PlanCost(instance, NearestNeighbourPlan(instance)));
    EXPECT_EQ(answer->strategy, strategy);
    EXPECT_EQ(answer->ended_by, SolveEnd::kComplete);
    EXPECT_TRUE(answer->check.feasible);
    ASSERT_EQ(policy->asked().size(), 1);
    EXPECT_EQ(policy->asked()[0].method, method);
    EXPECT_EQ(policy->asked()[0].width, width);
    EXPECT_EQ(policy->asked()[0].seed, 77);
  }
}

TEST(PolicyStrategiesTest, ImprovedPlansSayHowLongAndHowOftenTheyWereImproved) {
  const absl::Time begun = SteadyNow();
  const Instance instance = Cvrp();
  const auto policy = std::make_shared<FakePolicy>(
      [](const Instance& given, const DecodeOptions& options) {
        DecodedPlan decoded{NearestNeighbourPlan(given)};
        decoded.rounds = std::min(options.improvement->rounds, 100);
        decoded.improving = absl::Microseconds(1);
        return absl::StatusOr<std::vector<DecodedPlan>>({decoded});
      },
      absl::OkStatus(), true);
  SolveOptions options = With(policy, Strategy::kImproved);
  options.rounds = 90;
  options.received = begun;
  const auto done = Solve(instance, options);
  ASSERT_TRUE(done.ok()) << done.status();
  EXPECT_EQ(done->strategy, Strategy::kImproved);
  EXPECT_EQ(done->iterations, 90);
  EXPECT_EQ(done->ended_by, SolveEnd::kIterations);
  EXPECT_EQ(done->times.search, absl::Microseconds(1));
  EXPECT_GE(done->times.decode, absl::ZeroDuration());
  ASSERT_EQ(policy->asked().size(), 1);
  EXPECT_EQ(policy->asked()[0].improvement->rounds, 90);
  EXPECT_LT(policy->asked()[0].improvement->until, policy->asked()[0].stop.deadline());
  EXPECT_LT(policy->asked()[0].stop.deadline() - absl::Seconds(30), begun)
      << "some time is left for search";
  options.rounds = 1000;
  EXPECT_EQ(Solve(instance, options)->ended_by, SolveEnd::kBudget);
  options.rounds = kMostRounds + 1;
  EXPECT_TRUE(absl::IsInvalidArgument(Solve(instance, options).status()));
}

TEST(PolicyStrategiesTest, ImprovementWantsADeviceThatKnowsIt) {
  const auto answer =
      Solve(Cvrp(), With(std::make_shared<FakePolicy>(NearestNeighbour), Strategy::kImproved));
  EXPECT_TRUE(absl::IsUnimplemented(answer.status())) << answer.status();
  EXPECT_THAT(std::string(answer.status().message()), HasSubstr("GPU"));
}

TEST(PolicyStrategiesTest, ANetworkStrategyWithoutAModelIsRefused) {
  const auto answer = Solve(Cvrp(), With(nullptr, Strategy::kBeam));
  EXPECT_TRUE(absl::IsFailedPrecondition(answer.status()));
  EXPECT_THAT(std::string(answer.status().message()), HasSubstr("beam"));
}

TEST(PolicyStrategiesTest, AnInfeasiblePlanOfThePolicyNeverGetsOut) {
  const auto answer =
      Solve(Cvrp(), With(std::make_shared<FakePolicy>(Incomplete), Strategy::kGreedy));
  EXPECT_TRUE(absl::IsInternal(answer.status())) << answer.status();
}

TEST(PolicyStrategiesTest, APlanForAnotherNumberOfInstancesIsRefused) {
  const auto none = [](const Instance&, const DecodeOptions&) {
    return std::vector<DecodedPlan>{};
  };
  EXPECT_TRUE(absl::IsInternal(
      Solve(Cvrp(), With(std::make_shared<FakePolicy>(none), Strategy::kGreedy)).status()));
}

TEST(PolicyStrategiesTest, ThePolicysOwnErrorsComeThrough) {
  const auto unsupported =
      std::make_shared<FakePolicy>(NearestNeighbour, absl::UnimplementedError("no matrices"));
  EXPECT_TRUE(absl::IsUnimplemented(Solve(Cvrp(), With(unsupported, Strategy::kGreedy)).status()));
}

class LateNetworkTest : public testing::TestWithParam<Strategy> {
 protected:
  static SolveOptions Options(std::shared_ptr<Policy> policy) {
    SolveOptions options = With(std::move(policy), GetParam());
    options.budget = absl::Milliseconds(40);
    return options;
  }
};

TEST_P(LateNetworkTest, GivesWayToSearchWithANote) {
  const auto answer =
      Solve(Cvrp(), Options(std::make_shared<FakePolicy>(Late, absl::OkStatus(), true)));
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_TRUE(answer->check.feasible);
  EXPECT_EQ(answer->strategy, Strategy::kSearch);
  EXPECT_THAT(answer->policy_note, HasSubstr("decoding of 20 customers was not done in time"));
  EXPECT_THAT(answer->policy_note, HasSubstr("the budget is 40 ms"));
  EXPECT_THAT(answer->policy_note, HasSubstr("search gave the plan"));
}

TEST_P(LateNetworkTest, IsAnErrorThatSpeaksOfTheBudgetForWhoWantsNoOther) {
  SolveOptions options = Options(std::make_shared<FakePolicy>(Late, absl::OkStatus(), true));
  options.network_only = true;
  const auto answer = Solve(Cvrp(), options);
  EXPECT_TRUE(absl::IsDeadlineExceeded(answer.status())) << answer.status();
  EXPECT_THAT(std::string(answer.status().message()), testing::StartsWith("budget: 40 ms"));
}

INSTANTIATE_TEST_SUITE_P(Strategies, LateNetworkTest,
                         testing::Values(Strategy::kGreedy, Strategy::kSample, Strategy::kBeam,
                                         Strategy::kMultiStart, Strategy::kImproved),
                         [](const auto& variant) {
                           return std::string(StrategyName(variant.param));
                         });

// Takes half a millisecond a node, as a network whose decoding is polled at each step.
absl::StatusOr<std::vector<DecodedPlan>> Slow(const Instance& instance,
                                              const DecodeOptions& options) {
  const absl::Time done = SteadyNow() + absl::Microseconds(500) * instance.num_nodes();
  while (SteadyNow() < done) {
    if (options.stop.ShouldStop()) return absl::DeadlineExceededError("late");
  }
  return NearestNeighbour(instance, options);
}

TEST(LateNetwork, NamesTheTimeThatWouldHaveBeenNeeded) {
  const Instance instance = AnInstance().WithCustomers(199).Build();
  SolveOptions options = With(std::make_shared<FakePolicy>(Slow), Strategy::kGreedy);
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
                                    "or let search answer"));
}

// The caller waits no longer than its deadline.
TEST(LateNetwork, IsNotMeasuredBeyondTheDeadline) {
  const Instance instance = AnInstance().WithCustomers(199).Build();
  const auto policy = std::make_shared<FakePolicy>(Slow);
  SolveOptions options = With(policy, Strategy::kGreedy);
  options.deadline = SteadyNow() + absl::Milliseconds(50);
  const auto answer = Solve(instance, options);
  EXPECT_EQ(policy->asked().size(), 1u);
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_THAT(answer->policy_note, HasSubstr("was not done in time: the deadline leaves"));
}

TEST(LateNetwork, IsNotMeasuredAgainWhenThatTookTooLong) {
  DecodeBatcher batcher(
      {.run_later = [](absl::AnyInvocable<void()>) {}, .others_wait = [] { return false; }});
  const auto policy = std::make_shared<FakePolicy>(Late);
  SolveOptions options = With(policy, Strategy::kGreedy);
  options.batcher = &batcher;
  options.budget = absl::Milliseconds(20);
  const Instance instance = AnInstance().WithCustomers(199).Build();
  const auto first = Solve(instance, options);
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_THAT(first->policy_note, HasSubstr("was not done in time: it takes more than"));
  EXPECT_EQ(policy->asked().size(), 2u);
  const auto again = Solve(instance, options);
  EXPECT_EQ(policy->asked().size(), 2u);
  EXPECT_THAT(again->policy_note, HasSubstr("it takes more than"));
}

TEST(LateNetwork, IsAnErrorWhereSearchRunsOutOfMemory) {
  DecodeBatcher batcher({.run_later = [](absl::AnyInvocable<void()> task) { task(); },
                         .others_wait = [] { return false; }});
  SolveOptions options = With(std::make_shared<FakePolicy>(Late), Strategy::kGreedy);
  options.batcher = &batcher;
  options.budget = absl::Milliseconds(20);
  options.on_improvement = [](const Plan&, Cost) { throw std::bad_alloc(); };
  absl::Status status;
  SolveLater(Cvrp(), options,
             [&](const absl::StatusOr<SolveAnswer>& answer) { status = answer.status(); });
  EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
}

TEST(LateNetwork, IsNotTriedAgainForSecondsOnceThatIsKnown) {
  DecodeBatcher batcher(
      {.run_later = [](absl::AnyInvocable<void()>) {}, .others_wait = [] { return false; }});
  const auto policy = std::make_shared<FakePolicy>(Slow);
  SolveOptions options = With(policy, Strategy::kGreedy);
  options.batcher = &batcher;
  options.budget = absl::Milliseconds(20);
  const Instance instance = AnInstance().WithCustomers(199).Build();
  ASSERT_TRUE(Solve(instance, options).ok());
  const size_t asked = policy->asked().size();  // it was measured too
  const auto again = Solve(instance, options);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(policy->asked().size(), asked);
  EXPECT_EQ(again->strategy, Strategy::kSearch);
  EXPECT_THAT(again->policy_note, HasSubstr("takes about"));
  options.budget = absl::Seconds(30);
  EXPECT_EQ(Solve(instance, options)->strategy, Strategy::kGreedy) << "that suffices";
}

TEST(SeededTest, StartsTheSearchFromThePolicysPlan) {
  // The policy knows the optimum of the search; without iterations the search alone would not get
  // there.
  const Instance instance = AnInstance().WithCustomers(60).RandomDemands().Capacity(30).Build();
  SearchOptions search;
  search.max_iterations = 30'000;
  const SearchResult good = *Search(instance, search);
  const auto policy = std::make_shared<FakePolicy>(
      [&](const Instance&, const DecodeOptions&) { return std::vector<DecodedPlan>{{good.plan}}; });
  SolveOptions options = With(policy, Strategy::kSeeded);
  options.max_iterations = 0;
  const auto answer = Solve(instance, options);
  ASSERT_TRUE(answer.ok());
  EXPECT_LE(answer->solution.cost, good.cost + 1e-9);
  EXPECT_EQ(answer->strategy, Strategy::kSeeded);
  EXPECT_EQ(answer->policy_note, "");

  options.strategy = Strategy::kSearch;
  const auto alone = Solve(instance, options);
  EXPECT_GT(alone->solution.cost, good.cost + 1e-9);
  EXPECT_EQ(alone->strategy, Strategy::kSearch);
}

TEST(AutoTest, SearchesAloneAndSaysWhyTheModelIsLeftOut) {
  const auto policy = std::make_shared<FakePolicy>(NearestNeighbour);
  SolveOptions options = With(policy, Strategy::kAuto);
  options.policy_named = true;
  options.max_iterations = 10;
  const auto answer = Solve(Cvrp(), options);
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_TRUE(policy->asked().empty());
  EXPECT_EQ(answer->strategy, Strategy::kSearch);
  EXPECT_THAT(answer->policy_note, HasSubstr("no gain"));
  options.policy_named = false;
  EXPECT_EQ(Solve(Cvrp(), options)->policy_note, "");
}

struct Misfit {
  std::string name;
  FakePolicy::Answer answer;
  absl::Status supports;
  std::string note;
};

class MisfitTest : public testing::TestWithParam<Misfit> {};

TEST_P(MisfitTest, ASeededSearchGoesOnWithoutThePolicyAndSaysWhy) {
  const auto policy = std::make_shared<FakePolicy>(GetParam().answer, GetParam().supports);
  SolveOptions options = With(policy, Strategy::kSeeded);
  options.budget = absl::Milliseconds(200);
  const auto answer = Solve(Cvrp(), options);
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_TRUE(answer->check.feasible);
  EXPECT_EQ(answer->strategy, Strategy::kSearch);
  EXPECT_THAT(answer->policy_note, HasSubstr(GetParam().note));
}

INSTANTIATE_TEST_SUITE_P(
    All, MisfitTest,
    testing::Values(Misfit{"Late", Late, absl::OkStatus(), "not done by the deadline"},
                    Misfit{"Infeasible", Incomplete, absl::OkStatus(), "infeasible plan"},
                    Misfit{"Unsupported", NearestNeighbour,
                           absl::UnimplementedError("windows: not known"), "windows"},
                    Misfit{"Failing",
                           [](const Instance&, const DecodeOptions&) {
                             return absl::InternalError("device lost");
                           },
                           absl::OkStatus(), "device lost"}),
    [](const auto& variant) { return variant.param.name; });

TEST(SeededTest, NeedsNoPolicyWhereEveryPlanCanBeTried) {
  const auto policy = std::make_shared<FakePolicy>(NearestNeighbour);
  const auto answer = Solve(AnInstance().WithCustomers(5).Build(), With(policy, Strategy::kSeeded));
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->ended_by, SolveEnd::kOptimal);
  EXPECT_EQ(answer->strategy, Strategy::kSearch);
  EXPECT_THAT(answer->policy_note, HasSubstr("small enough for exact search"));
  EXPECT_TRUE(policy->asked().empty());
}

TEST(SeededTest, GivesThePolicyAFifthOfTheTimeThatIsLeft) {
  const auto policy = std::make_shared<FakePolicy>(NearestNeighbour);
  SolveOptions options = With(policy, Strategy::kSeeded);
  options.received = SteadyNow();
  options.budget = absl::Seconds(1000);
  ASSERT_TRUE(Solve(Cvrp(), options).ok());
  ASSERT_EQ(policy->asked().size(), 2);
  EXPECT_EQ(policy->asked()[0].method, DecodeMethod::kGreedy);
  EXPECT_EQ(policy->asked()[1].method, DecodeMethod::kSample);
  for (const DecodeOptions& asked : policy->asked()) {
    EXPECT_GT(asked.stop.deadline(), options.received + absl::Seconds(100));
    EXPECT_LT(asked.stop.deadline(), options.received + absl::Seconds(300));
  }
}

TEST(SeededTest, StartsFromTheBestOfTheGreedyPlanAndTheSamples) {
  // Without iterations the search stays near where it starts, and here it starts at an optimum.
  const Instance instance = AnInstance().WithCustomers(60).RandomDemands().Capacity(30).Build();
  SearchOptions search;
  search.max_iterations = 30'000;
  const SearchResult good = *Search(instance, search);
  const auto policy =
      std::make_shared<FakePolicy>([&](const Instance& asked, const DecodeOptions& decode) {
        return decode.method == DecodeMethod::kGreedy ? NearestNeighbour(asked, decode)
                                                      : std::vector<DecodedPlan>{{good.plan}};
      });
  SolveOptions options = With(policy, Strategy::kSeeded);
  options.max_iterations = 0;
  EXPECT_LE(Solve(instance, options)->solution.cost, good.cost + 1e-9);
}

TEST(SeededTest, DoesWithTheGreedyPlanWhereSamplesComeTooLate) {
  const auto policy =
      std::make_shared<FakePolicy>([](const Instance& asked, const DecodeOptions& decode) {
        return decode.method == DecodeMethod::kGreedy ? NearestNeighbour(asked, decode)
                                                      : Late(asked, decode);
      });
  SolveOptions options = With(policy, Strategy::kSeeded);
  options.budget = absl::Milliseconds(200);
  const auto answer = Solve(Cvrp(), options);
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(policy->asked().size(), 2);
  EXPECT_EQ(answer->strategy, Strategy::kSeeded);
  EXPECT_EQ(answer->policy_note, "");
  EXPECT_TRUE(answer->check.feasible);
}

TEST(SeededTest, DoesNotAskThePolicyWhenNoTimeIsLeft) {
  const auto policy = std::make_shared<FakePolicy>(NearestNeighbour);
  SolveOptions options = With(policy, Strategy::kSeeded);
  options.received = SteadyNow() - absl::Hours(1);
  const auto answer = Solve(Cvrp(), options);
  ASSERT_TRUE(answer.ok());
  EXPECT_TRUE(policy->asked().empty());
  EXPECT_TRUE(answer->check.feasible);
}

TEST(SeededTest, SearchesBeyondThePlainProblemWithAndWithoutThePolicy) {
  const Instance instance = AnInstance().WithCustomers(12).MaxDuration(1000).Build();
  const auto each_alone = [](const Instance&, const DecodeOptions&) {
    Plan plan;
    for (NodeIndex customer = 1; customer <= 12; ++customer) plan.push_back({0, {customer}});
    return std::vector<DecodedPlan>{{plan}};
  };
  SolveOptions options = With(std::make_shared<FakePolicy>(each_alone), Strategy::kSeeded);
  options.budget = absl::Milliseconds(50);
  const auto answer = Solve(instance, options);
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->strategy, Strategy::kSeeded);
  EXPECT_TRUE(answer->check.feasible);

  options.policy =
      std::make_shared<FakePolicy>(each_alone, absl::UnimplementedError("durations: not known"));
  const auto alone = Solve(instance, options);
  ASSERT_TRUE(alone.ok()) << alone.status();
  EXPECT_EQ(alone->strategy, Strategy::kSearch);
  EXPECT_EQ(alone->policy_note, "durations: not known");
  EXPECT_TRUE(alone->check.feasible);
}

TEST(PolicyStrategies, MultiStartAsksForAllStartsInEightAugmentations) {
  const auto policy = std::make_shared<FakePolicy>(NearestNeighbour);
  const auto answer = Solve(Cvrp(), With(policy, Strategy::kMultiStart));
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->strategy, Strategy::kMultiStart);
  EXPECT_EQ(StrategyName(Strategy::kMultiStart), "multi_start");
  ASSERT_EQ(policy->asked().size(), 1u);
  EXPECT_EQ(policy->asked()[0].method, DecodeMethod::kMultiStart);
  EXPECT_EQ(policy->asked()[0].width, 0);
  EXPECT_EQ(policy->asked()[0].augmentations, 8);
}

TEST(PolicyStrategies, OpenRoutesAndDistanceLimitsAreAskedOfThePolicyAndChecked) {
  const auto both = [](const Instance&, const DecodeOptions&) {
    return std::vector<DecodedPlan>{{{{0, {1, 2}}}}};
  };
  const auto policy = std::make_shared<FakePolicy>(both);
  const auto line = AnInstance().At({{0, 0}, {10, 0}, {20, 0}}).OpenEnd();
  auto limited = line;
  const auto answer = Solve(limited.MaxDistance(20).Build(), With(policy, Strategy::kGreedy));
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->solution.cost, 20);
  EXPECT_TRUE(answer->check.feasible);
  const auto too_far = Solve(limited.MaxDistance(19).Build(), With(policy, Strategy::kGreedy));
  EXPECT_TRUE(absl::IsInternal(too_far.status())) << too_far.status();
  SolveOptions search = With(policy, Strategy::kSearch);
  search.budget = absl::Milliseconds(50);
  const auto searched = Solve(limited.MaxDistance(20).Build(), search);
  ASSERT_TRUE(searched.ok()) << searched.status();
  EXPECT_EQ(searched->solution.cost, 20);
}

}  // namespace
}  // namespace vrp
