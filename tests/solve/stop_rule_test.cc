#include "core/solve/stop_rule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/base/steady_time.h"
#include "core/solve/small_optimum.h"
#include "core/solve/solver.h"
#include "core/solve/stop_monitor.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using test::AnInstance;
using testing::HasSubstr;
using Verdict = StopMonitor::Verdict;

Instance InstanceWithReference(double cost) {
  InstanceData data = AnInstance().WithCustomers(30).RandomDemands().Capacity(25).BuildData();
  data.reference_cost = cost;
  return *Instance::Create(std::move(data));
}

std::string Refusal(const StopRequest& request) {
  const auto rule = ResolveStopRule(request, AnInstance().Build(), absl::Seconds(10));
  EXPECT_TRUE(absl::IsInvalidArgument(rule.status())) << rule.status();
  return std::string(rule.status().message());
}

TEST(StopRuleTest, DerivesTheTimeFromAShareOfTheBudget) {
  const auto rule =
      ResolveStopRule({.no_improvement_share = 0.2}, AnInstance().Build(), absl::Seconds(10));
  ASSERT_TRUE(rule.ok()) << rule.status();
  EXPECT_EQ(rule->no_improvement, absl::Seconds(2));
  EXPECT_FALSE(rule->target_cost.has_value());
}

TEST(StopRuleTest, DerivesTheTargetFromAGapToTheReferenceCost) {
  const auto rule =
      ResolveStopRule({.target_gap = 0.01}, InstanceWithReference(200), absl::Seconds(10));
  ASSERT_TRUE(rule.ok()) << rule.status();
  EXPECT_DOUBLE_EQ(*rule->target_cost, 202);
  EXPECT_EQ(rule->no_improvement, absl::InfiniteDuration());
}

TEST(StopRuleTest, RefusesInvalidValuesAndNamesTheirField) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(Refusal({.no_improvement = absl::ZeroDuration()}),
              HasSubstr("stop.no_improvement: got 0, wanted at least 1ms"));
  EXPECT_THAT(Refusal({.no_improvement_share = 1.5}),
              HasSubstr("stop.no_improvement_share: got 1.5"));
  EXPECT_THAT(Refusal({.no_improvement_share = nan}), HasSubstr("stop.no_improvement_share"));
  EXPECT_THAT(Refusal({.no_improvement = absl::Seconds(1), .no_improvement_share = 0.5}),
              HasSubstr("wanted only one of them"));
  EXPECT_THAT(Refusal({.target_cost = nan}), HasSubstr("stop.target_cost"));
  EXPECT_THAT(Refusal({.target_cost = 1, .target_gap = 1}), HasSubstr("wanted only one of them"));
  EXPECT_THAT(Refusal({.target_gap = -1}), HasSubstr("stop.target_gap: got -1"));
  EXPECT_THAT(Refusal({.target_gap = 0.01}), HasSubstr("states no reference cost"));
}

TEST(StopRuleTest, GivesLargerInstancesMoreTimeUpToALimit) {
  const AutomaticStop small = AutomaticStopOf(AnInstance().WithCustomers(20).Build());
  const AutomaticStop medium = AutomaticStopOf(AnInstance().WithCustomers(100).Build());
  const AutomaticStop large = AutomaticStopOf(AnInstance().WithCustomers(5000).Build());
  EXPECT_LT(small.limit, medium.limit);
  EXPECT_EQ(large.limit, kMaxAutomaticTime);
  for (const AutomaticStop& stop : {small, medium, large}) {
    EXPECT_LE(stop.rule.min_time, stop.limit);
    EXPECT_LE(stop.rule.no_improvement, stop.limit);
    EXPECT_GT(stop.rule.no_improvement, absl::ZeroDuration());
  }
}

TEST(StopRuleTest, DerivesTheMinimumAutomaticTimeFromTheNumberOfCustomers) {
  EXPECT_EQ(MinAutomaticTime(kMaxPlainExactCustomers), absl::ZeroDuration())
      << "exact search answers at once";
  EXPECT_GT(MinAutomaticTime(kMaxPlainExactCustomers + 1), absl::ZeroDuration());
  EXPECT_GT(MinAutomaticTime(200), MinAutomaticTime(100));
  EXPECT_EQ(MinAutomaticTime(INT32_MAX), kMaxAutomaticTime);
  for (const int32_t customers : {9, 100, 1000}) {
    const auto builder = AnInstance().WithCustomers(customers);
    const absl::Duration lower_bound = MinAutomaticTime(customers);
    EXPECT_LE(lower_bound, AutomaticStopOf(builder.Build()).rule.min_time);
    auto windows = builder;
    EXPECT_LE(lower_bound, AutomaticStopOf(windows.RandomWindows().Build()).rule.min_time);
  }
}

TEST(StopRuleTest, PrefersTheCallersTimeToTheAutomaticOne) {
  const auto rule = ResolveStopRule({.no_improvement = absl::Seconds(3), .automatic = true},
                                    AnInstance().Build(), absl::Seconds(10));
  ASSERT_TRUE(rule.ok()) << rule.status();
  EXPECT_EQ(rule->no_improvement, absl::Seconds(3));
  EXPECT_EQ(rule->min_time, absl::ZeroDuration());
}

class StopMonitorTest : public testing::Test {
 protected:
  // Returns an instance with two customers on a line.
  static Instance LineInstance() { return AnInstance().At({{0, 0}, {1, 0}, {2, 0}}).Build(); }
  static StopCondition OneHourFromNow() { return {SteadyNow() + absl::Hours(1), nullptr}; }
  const Instance instance_ = LineInstance();
  const Plan two_routes_ = {{0, {1}}, {0, {2}}};  // costs 6
  const Plan one_route_ = {{0, {1, 2}}};          // costs 4
};

TEST_F(StopMonitorTest, ExtendsTheTimeWithEachImprovement) {
  StopMonitor monitor(instance_, {.no_improvement = absl::Minutes(1)}, OneHourFromNow(), {});
  const absl::Time first = monitor.stop().deadline();
  EXPECT_LE(first, SteadyNow() + absl::Minutes(1));
  monitor.RecordPlan(two_routes_);
  const absl::Time second = monitor.stop().deadline();
  EXPECT_GT(second, first);
  monitor.RecordPlan(two_routes_);
  EXPECT_EQ(monitor.stop().deadline(), second) << "the plan is no better";
  monitor.RecordPlan(one_route_);
  EXPECT_GT(monitor.stop().deadline(), second);
  EXPECT_FALSE(monitor.stop().ShouldStop());
  EXPECT_EQ(monitor.VerdictOn(one_route_), Verdict::kNone);
}

TEST_F(StopMonitorTest, EndsAtTheLimit) {
  const StopCondition limit(SteadyNow() + absl::Seconds(30), nullptr);
  StopMonitor monitor(instance_, {.no_improvement = absl::Minutes(1)}, limit, {});
  monitor.RecordPlan(two_routes_);
  EXPECT_EQ(monitor.stop().deadline(), limit.deadline());
}

TEST_F(StopMonitorTest, StaysEndedAfterTimeWithoutImprovement) {
  StopMonitor monitor(instance_, {.no_improvement = absl::Milliseconds(1)}, OneHourFromNow(), {});
  while (!monitor.stop().ShouldStop()) {
  }
  monitor.RecordPlan(one_route_);
  EXPECT_TRUE(monitor.stop().ShouldStop()) << "the improvement came too late";
  EXPECT_EQ(monitor.VerdictOn(one_route_), Verdict::kNoImprovement);
}

TEST_F(StopMonitorTest, SearchesForTheMinimumTime) {
  const StopRule rule{.no_improvement = absl::Milliseconds(1), .min_time = absl::Minutes(30)};
  StopMonitor monitor(instance_, rule, OneHourFromNow(), {});
  monitor.RecordPlan(two_routes_);
  EXPECT_GT(monitor.stop().deadline(), SteadyNow() + absl::Minutes(29));
}

TEST_F(StopMonitorTest, EndsAtOnceAtTheTarget) {
  StopMonitor monitor(instance_, {.target_cost = 4}, OneHourFromNow(), {});
  monitor.RecordPlan(two_routes_);
  EXPECT_FALSE(monitor.stop().ShouldStop());
  EXPECT_EQ(monitor.VerdictOn(two_routes_), Verdict::kNone);
  monitor.RecordPlan(one_route_);
  EXPECT_TRUE(monitor.stop().ShouldStop());
  EXPECT_EQ(monitor.VerdictOn(one_route_), Verdict::kTarget);
}

TEST_F(StopMonitorTest, IgnoresTheTargetWhileCustomersAreUnserved) {
  StopMonitor monitor(instance_, {.target_cost = 100}, OneHourFromNow(), {});
  const Plan partial = {{0, {1}}};
  monitor.RecordPlan(partial);
  EXPECT_FALSE(monitor.stop().ShouldStop());
  EXPECT_EQ(monitor.VerdictOn(partial), Verdict::kNone);
}

TEST_F(StopMonitorTest, TreatsAPlanOfZeroCostAsOptimal) {
  const Instance instance = AnInstance().At({{0, 0}, {0, 0}, {0, 0}}).Build();
  StopMonitor monitor(instance, {}, OneHourFromNow(), {});
  monitor.RecordPlan(one_route_);
  EXPECT_TRUE(monitor.stop().ShouldStop());
  EXPECT_EQ(monitor.VerdictOn(one_route_), Verdict::kOptimal);
}

TEST_F(StopMonitorTest, CountsTheTimeOfAnEarlierSearch) {
  const StopMonitor::Earlier earlier{.best = ValueOf(instance_, two_routes_),
                                     .since_improvement = absl::Seconds(50)};
  StopMonitor monitor(instance_, {.no_improvement = absl::Minutes(1)}, OneHourFromNow(), earlier);
  const absl::Time end = monitor.stop().deadline();
  EXPECT_LE(end, SteadyNow() + absl::Seconds(10));
  monitor.RecordPlan(two_routes_);
  EXPECT_EQ(monitor.stop().deadline(), end) << "the earlier search had found the plan";
  monitor.RecordPlan(one_route_);
  EXPECT_GT(monitor.stop().deadline(), end);
}

TEST_F(StopMonitorTest, EndsAtOnceIfAnEarlierSearchWaitedLongEnough) {
  const StopMonitor::Earlier earlier{.best = ValueOf(instance_, one_route_),
                                     .since_improvement = absl::Minutes(2)};
  StopMonitor monitor(instance_, {.no_improvement = absl::Minutes(1)}, OneHourFromNow(), earlier);
  EXPECT_TRUE(monitor.stop().ShouldStop());
  EXPECT_EQ(monitor.VerdictOn(one_route_), Verdict::kNoImprovement);
}

TEST_F(StopMonitorTest, ReportsTheTargetEvenIfTheSearchWasCancelled) {
  const auto cancel = std::make_shared<CancelFlag>();
  const StopCondition limit(SteadyNow() + absl::Hours(1), cancel);
  StopMonitor monitor(instance_, {.target_cost = 4}, limit, {});
  cancel->Cancel();
  EXPECT_EQ(monitor.stop().Check(), StopReason::kCancelled);
  EXPECT_EQ(monitor.VerdictOn(two_routes_), Verdict::kNone);
  monitor.RecordPlan(one_route_);
  EXPECT_EQ(monitor.VerdictOn(one_route_), Verdict::kTarget);
}

// A fixture with one case per kind of instance: plain, with windows, TSP, constrained, and large
// enough for a search by regions.
class StoppedSearchTest : public testing::TestWithParam<int> {
 protected:
  static Instance MakeInstance() {
    auto builder = AnInstance().WithCustomers(60).RandomDemands().Capacity(30);
    switch (GetParam()) {
      case 0:
        return builder.Build();
      case 1:
        return builder.RandomWindows().Build();
      case 2:
        return builder.Kind(ProblemKind::kTsp).Build();
      case 3:
        return builder.MaxDuration(250).Build();
      default:
        return builder.WithCustomers(600).Build();
    }
  }
  // Returns the value of no_improvement. A search by regions requires at least half a second.
  static absl::Duration TimeWithoutImprovement() {
    return absl::Milliseconds(GetParam() == 4 ? 600 : 100);
  }
  static SolveOptions OneHourBudget() {
    SolveOptions options;
    options.budget = absl::Hours(1);
    return options;
  }
};

TEST_P(StoppedSearchTest, EndsLongBeforeTheBudgetWithoutAnImprovement) {
  SolveOptions options = OneHourBudget();
  options.stop.no_improvement = TimeWithoutImprovement();
  const auto answer = Solve(MakeInstance(), options);
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->ended_by, SolveEnd::kNoImprovement);
  EXPECT_EQ(answer->budget, absl::Hours(1));
  EXPECT_TRUE(answer->check.feasible);
}

TEST_P(StoppedSearchTest, EndsAtTheTarget) {
  const Instance instance = MakeInstance();
  SolveOptions options = OneHourBudget();
  options.max_iterations = 0;
  const double first = Solve(instance, options)->solution.cost;
  options.max_iterations = INT64_MAX;
  options.stop.target_cost = 0.998 * first;
  const auto answer = Solve(instance, options);
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->ended_by, SolveEnd::kTarget);
  EXPECT_LE(answer->solution.cost, 0.998 * first);
}

INSTANTIATE_TEST_SUITE_P(Kinds, StoppedSearchTest, testing::Range(0, 5));

TEST(StoppedSearch, EndsBothThreadsTogether) {
  SolveOptions options;
  options.budget = absl::Hours(1);
  options.threads = 2;
  options.stop.no_improvement = absl::Milliseconds(600);  // enough for a search by regions
  for (const int32_t customers : {60, 600}) {
    const auto answer =
        Solve(AnInstance().WithCustomers(customers).RandomDemands().Build(), options);
    if (absl::IsInvalidArgument(answer.status())) GTEST_SKIP() << "needs 2 CPU cores";
    ASSERT_TRUE(answer.ok()) << answer.status();
    EXPECT_EQ(answer->ended_by, SolveEnd::kNoImprovement);
    EXPECT_EQ(answer->threads, 2);
  }
}

TEST(StoppedSearch, CountsTheTimeSinceAnEarlierSearchFoundItsPlan) {
  const Instance instance = AnInstance().WithCustomers(60).RandomDemands().Capacity(30).Build();
  SolveOptions options;
  options.budget = absl::Minutes(1);
  options.max_iterations = 20'000;
  const auto first = Solve(instance, options);
  ASSERT_TRUE(first.ok()) << first.status();
  options.initial = {PlanOf(instance, first->solution)};
  options.max_iterations = INT64_MAX;
  options.stop.no_improvement = absl::Hours(1);
  options.since_improvement = absl::Hours(2);
  const auto second = Solve(instance, options);
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_EQ(second->ended_by, SolveEnd::kNoImprovement);
  EXPECT_LE(second->solution.cost, first->solution.cost + 1e-9);
}

TEST(StoppedSearch, ReportsTheLimitAsTheBudget) {
  SolveOptions options;
  options.budget = absl::Milliseconds(20);
  options.stop.no_improvement = absl::Hours(1);
  EXPECT_EQ(Solve(AnInstance().WithCustomers(50).Build(), options)->ended_by, SolveEnd::kBudget);
}

}  // namespace
}  // namespace vrp
