#include "core/dispatch/simulation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "core/dispatch/hindsight.h"
#include "core/dispatch/learning/dispatch_sample.h"
#include "core/dispatch/policies/make_policy.h"
#include "tests/dispatch/dispatch_testing.h"

namespace vrp {
namespace {

using test::LineSite;
using test::RandomSite;
using test::RequestUntil;

constexpr DayShape kShape = {.epoch = 20, .margin = 10, .requests_per_epoch = 15};

SimulatedDay Simulate(const DispatchSite& site, const DispatchDay& day, DispatchPolicyKind kind,
                      std::vector<int32_t> fleet = {}) {
  const auto policy =
      MakeDispatchPolicy(site, {.kind = kind, .sampler = std::make_shared<SiteSampler>(site, 15)});
  EXPECT_TRUE(policy.ok()) << policy.status();
  const auto result = SimulateDay(
      site, day, **policy,
      {.decision_time = absl::InfiniteDuration(), .max_iterations = 15, .fleet = std::move(fleet)});
  EXPECT_TRUE(result.ok()) << result.status();
  return *result;
}

TEST(DrawDayTest, DrawsTheSameDayForTheSameSeed) {
  const DispatchSite site = RandomSite(30, 1);
  const auto day = DrawDay(site, kShape, 7);
  ASSERT_TRUE(day.ok()) << day.status();
  EXPECT_EQ(day->requests, DrawDay(site, kShape, 7)->requests);
  EXPECT_NE(day->requests, DrawDay(site, kShape, 8)->requests);
}

TEST(DrawDayTest, DrawsOnlyRequestsThatCanBeServedWhenTheyAreKnown) {
  const DispatchSite site = RandomSite(30, 2);
  const auto day = DrawDay(site, kShape, 7);
  ASSERT_TRUE(day.ok()) << day.status();
  ASSERT_FALSE(day->requests.empty());
  EXPECT_TRUE(std::is_sorted(day->departures.begin(), day->departures.end()));
  for (const DispatchRequest& request : day->requests) {
    EXPECT_TRUE(
        std::binary_search(day->departures.begin(), day->departures.end(), request.release));
    EXPECT_TRUE(site.ReachesDirectly(request, request.release));
  }
}

TEST(DrawDayTest, RefusesDaysOfTooManyDecisions) {
  const auto day = DrawDay(RandomSite(5, 1), {.epoch = 1e-6, .margin = 0}, 1);
  EXPECT_EQ(day.status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(SimulateDayTest, ServesEveryRequestOnceUnderEachPolicy) {
  const DispatchSite site = RandomSite(30, 3);
  const auto day = DrawDay(site, kShape, 11);
  ASSERT_TRUE(day.ok()) << day.status();
  for (const DispatchPolicyKind kind :
       {DispatchPolicyKind::kGreedy, DispatchPolicyKind::kLazy, DispatchPolicyKind::kHorizon,
        DispatchPolicyKind::kSampling}) {
    const SimulatedDay result = Simulate(site, *day, kind);
    EXPECT_TRUE(result.missed.empty());
    std::vector<int32_t> visits(day->requests.size());
    for (const PlannedRoute& route : result.plan) {
      for (const NodeIndex request : route.customers) ++visits[request];
    }
    EXPECT_TRUE(std::all_of(visits.begin(), visits.end(), [](int32_t n) { return n == 1; }));
  }
}

TEST(SimulateDayTest, CostsAsMuchAsItsDecisions) {
  const DispatchSite site = RandomSite(30, 4);
  const auto day = DrawDay(site, kShape, 12);
  ASSERT_TRUE(day.ok()) << day.status();
  const SimulatedDay result = Simulate(site, *day, DispatchPolicyKind::kSampling);
  double cost = 0;
  int32_t dispatched = 0;
  for (const SimulatedDecision& decision : result.decisions) {
    cost += decision.cost;
    dispatched += decision.dispatched;
  }
  EXPECT_NEAR(cost, result.cost, 1e-6 * cost);
  EXPECT_EQ(dispatched, static_cast<int32_t>(day->requests.size()));
}

TEST(SimulateDayTest, VehiclesAreAwayUntilTheyReturn) {
  const DispatchSite site = LineSite();
  // A vehicle to customer 3 is away until 60, so that it misses the decision at 50.
  DispatchDay day = {.name = "one vehicle", .departures = {0, 50, 100}};
  for (const double release : day.departures) {
    DispatchRequest request = RequestUntil(site, 3, release + 40);
    request.release = release;
    day.requests.push_back(request);
  }
  EXPECT_EQ(Simulate(site, day, DispatchPolicyKind::kGreedy, {1}).missed,
            std::vector<int32_t>({1}));
  EXPECT_TRUE(Simulate(site, day, DispatchPolicyKind::kGreedy, {2}).missed.empty());
}

TEST(SimulateDayTest, KnowsDaysAndDecisionsWithoutRequests) {
  const DispatchSite site = LineSite();
  DispatchDay day = {.departures = {0, 50, 100}};
  for (const DispatchPolicyKind kind :
       {DispatchPolicyKind::kGreedy, DispatchPolicyKind::kLazy, DispatchPolicyKind::kHorizon,
        DispatchPolicyKind::kSampling}) {
    const auto policy = MakeDispatchPolicy(
        site, {.kind = kind,
               .sampler = std::make_shared<test::FixedSampler>(std::vector<DispatchRequest>())});
    const auto result = SimulateDay(site, day, **policy, {.max_iterations = 10});
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(result->cost, 0);
  }
  const auto hindsight = PlanInHindsight(site, day, {.max_iterations = 10});
  ASSERT_TRUE(hindsight.ok()) << hindsight.status();
  EXPECT_TRUE(hindsight->plan.empty());
}

TEST(PlanInHindsightTest, IsNotWorseThanAnyPolicyFromWhichItStarts) {
  const DispatchSite site = RandomSite(30, 5);
  const auto day = DrawDay(site, kShape, 13);
  ASSERT_TRUE(day.ok()) << day.status();
  const SimulatedDay greedy = Simulate(site, *day, DispatchPolicyKind::kGreedy);
  const auto hindsight = PlanInHindsight(site, *day, {.max_iterations = 500}, {greedy.plan});
  ASSERT_TRUE(hindsight.ok()) << hindsight.status();
  EXPECT_LE(hindsight->cost, greedy.cost + 1e-9);
  EXPECT_TRUE(hindsight->unserved.empty());
}

TEST(CheckDayPlanTest, RefusesRoutesThatLeaveTooEarlyForTheirRequests) {
  const DispatchSite site = LineSite();
  DispatchDay day = {.departures = {0, 50},
                     .requests = {RequestUntil(site, 1, 30), RequestUntil(site, 2, 900)}};
  EXPECT_TRUE(CheckDayPlan(site, day, {{.customers = {0, 1}}}).ok());
  day.requests[1].release = 50;
  EXPECT_EQ(CheckDayPlan(site, day, {{.customers = {0, 1}}}).status().code(),
            absl::StatusCode::kInternal);
  EXPECT_TRUE(CheckDayPlan(site, day, {{.customers = {0}}, {.customers = {1}}}).ok());
}

TEST(SamplesOfTest, LabelTheRequestsThatLeaveInHindsight) {
  const DispatchSite site = LineSite();
  DispatchDay day = {.departures = {0, 50, 100}};
  for (const double release : {0.0, 0.0, 50.0}) {
    day.requests.push_back(RequestUntil(site, 1, 900));
    day.requests.back().release = release;
  }
  // Request 0 leaves at once; request 1 waits for request 2.
  const HindsightPlan plan = {.plan = {{.customers = {0}}, {.customers = {2, 1}}}};
  const std::vector<DispatchSample> samples = SamplesOf(day, plan);
  ASSERT_EQ(samples.size(), 2u);
  EXPECT_EQ(samples[0].leaves, std::vector<bool>({true, false}));
  EXPECT_EQ(samples[0].routes, Plan({{.customers = {0}}}));
  ASSERT_EQ(samples[1].state.requests.size(), 2u);
  EXPECT_EQ(samples[1].leaves, std::vector<bool>({true, true}));
  EXPECT_EQ(samples[1].routes, Plan({{.customers = {1, 0}}}));
  EXPECT_EQ(samples[1].state.later_departures, std::vector<double>({100}));
}

}  // namespace
}  // namespace vrp
