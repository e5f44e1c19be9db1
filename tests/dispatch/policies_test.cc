#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/dispatch/policies/make_policy.h"
#include "core/dispatch/policies/prizes.h"
#include "tests/dispatch/dispatch_testing.h"

namespace vrp {
namespace {

using test::FixedSampler;
using test::LineSite;
using test::RandomSite;
using test::RequestUntil;

const DecisionOptions kShort = {.max_iterations = 200, .seed = 3};

// Returns the requests that leave.
std::set<NodeIndex> Leaving(const DispatchDecision& decision) {
  std::set<NodeIndex> leaving;
  for (const PlannedRoute& route : decision.plan) {
    leaving.insert(route.customers.begin(), route.customers.end());
  }
  return leaving;
}

DispatchDecision Decide(const DispatchSite& site, DispatchPolicyKind kind,
                        const DispatchState& state,
                        std::shared_ptr<const RequestSampler> sampler = nullptr) {
  const auto policy = MakeDispatchPolicy(site, {.kind = kind, .sampler = std::move(sampler)});
  EXPECT_TRUE(policy.ok()) << policy.status();
  const auto decision = (*policy)->Decide(state, kShort);
  EXPECT_TRUE(decision.ok()) << decision.status();
  return *decision;
}

// One request that has to leave now and two that can wait.
DispatchState OneOfThreeMustGo(const DispatchSite& site) {
  return {.requests = {RequestUntil(site, 1, 900), RequestUntil(site, 2, 25),
                       RequestUntil(site, 3, 900)},
          .departure = 0,
          .later_departures = {100}};
}

TEST(GreedyPolicyTest, DispatchesAllRequests) {
  const DispatchSite site = LineSite();
  const DispatchDecision decision =
      Decide(site, DispatchPolicyKind::kGreedy, OneOfThreeMustGo(site));
  EXPECT_EQ(Leaving(decision), std::set<NodeIndex>({0, 1, 2}));
  EXPECT_EQ(decision.cost, 60);
  EXPECT_TRUE(decision.waiting.empty());
}

TEST(LazyPolicyTest, DispatchesOnlyRequestsThatMustGo) {
  const DispatchSite site = LineSite();
  const DispatchDecision decision = Decide(site, DispatchPolicyKind::kLazy, OneOfThreeMustGo(site));
  EXPECT_EQ(Leaving(decision), std::set<NodeIndex>({1}));
  EXPECT_EQ(decision.cost, 40);
  ASSERT_EQ(decision.waiting.size(), 2u);
  EXPECT_EQ(decision.waiting[0].reason, "it can still leave at the next decision");
  EXPECT_FALSE(decision.waiting[0].missed);
}

TEST(LazyPolicyTest, SendsNothingIfNothingMustGo) {
  const DispatchSite site = LineSite();
  DispatchState state = OneOfThreeMustGo(site);
  state.requests[1].window.close = 900;
  const DispatchDecision decision = Decide(site, DispatchPolicyKind::kLazy, state);
  EXPECT_TRUE(decision.plan.empty());
  EXPECT_EQ(decision.cost, 0);
}

TEST(DispatchPolicyTest, ReportsRequestsThatCannotLeaveAsMissed) {
  const DispatchSite site = LineSite();
  DispatchState state = {.requests = {RequestUntil(site, 1, 900), RequestUntil(site, 3, 20)},
                         .departure = 0};
  const DispatchDecision decision = Decide(site, DispatchPolicyKind::kGreedy, state);
  ASSERT_EQ(decision.waiting.size(), 1u);
  EXPECT_EQ(decision.waiting[0].request, 1);
  EXPECT_TRUE(decision.waiting[0].missed);
  EXPECT_EQ(decision.waiting[0].reason,
            "no vehicle that leaves now reaches it in time and returns in time");
}

TEST(DispatchPolicyTest, KeepsToTheVehiclesAtTheDepot) {
  const DispatchSite site = LineSite();
  DispatchState state = {.departure = 0};
  for (int i = 0; i < 12; ++i) state.requests.push_back(RequestUntil(site, 1, 900));
  state.available = {1};
  const DispatchDecision decision = Decide(site, DispatchPolicyKind::kGreedy, state);
  EXPECT_EQ(decision.plan.size(), 1u);
  EXPECT_EQ(Leaving(decision).size(), 10u);
  ASSERT_EQ(decision.waiting.size(), 2u);
  EXPECT_EQ(decision.waiting[0].reason,
            "it has to leave now, but no vehicle at the depot can take it");
  state.available = {0};
  EXPECT_TRUE(Decide(site, DispatchPolicyKind::kGreedy, state).plan.empty());
}

TEST(DispatchPolicyTest, VehiclesLeaveNoEarlierThanTheDeparture) {
  const DispatchSite site = LineSite();
  const DispatchState state = {.requests = {RequestUntil(site, 2, 900)}, .departure = 500};
  const DispatchDecision decision = Decide(site, DispatchPolicyKind::kGreedy, state);
  ASSERT_EQ(decision.solution.routes.size(), 1u);
  EXPECT_EQ(decision.solution.routes[0].stops[1].arrival, 520);
}

// A scenario in which a later request at the same far place makes waiting worthwhile.
TEST(ScenarioPoliciesTest, LetRequestsWaitForCompanyToCome) {
  const DispatchSite site = LineSite();
  DispatchRequest later = RequestUntil(site, 3, 900);
  later.release = 100;
  const auto sampler = std::make_shared<FixedSampler>(std::vector<DispatchRequest>({later}));
  const DispatchState state = OneOfThreeMustGo(site);
  for (const DispatchPolicyKind kind :
       {DispatchPolicyKind::kHorizon, DispatchPolicyKind::kSampling}) {
    const DispatchDecision decision = Decide(site, kind, state, sampler);
    const std::set<NodeIndex> leaving = Leaving(decision);
    EXPECT_TRUE(leaving.contains(1)) << DispatchPolicyName(kind);
    EXPECT_FALSE(leaving.contains(2)) << DispatchPolicyName(kind);
    EXPECT_GT(decision.scenarios, 0);
  }
}

TEST(ScenarioPoliciesTest, DispatchAllAtTheLastDecision) {
  const DispatchSite site = RandomSite(20, 5);
  DispatchState state = {.departure = 0};
  for (NodeIndex customer = 1; customer <= 20; ++customer) {
    state.requests.push_back(site.RequestOf(customer, ""));
  }
  const auto sampler = std::make_shared<SiteSampler>(site, 10);
  for (const DispatchPolicyKind kind :
       {DispatchPolicyKind::kHorizon, DispatchPolicyKind::kSampling}) {
    EXPECT_EQ(Leaving(Decide(site, kind, state, sampler)).size(), 20u);
  }
}

TEST(ScenarioPoliciesTest, AreReproducibleForASeedAndIterations) {
  const DispatchSite site = RandomSite(30, 6);
  DispatchState state = {.departure = 0, .later_departures = {20, 40, 60}};
  for (NodeIndex customer = 1; customer <= 15; ++customer) {
    state.requests.push_back(site.RequestOf(customer, ""));
  }
  const auto sampler = std::make_shared<SiteSampler>(site, 10);
  const DispatchDecision once = Decide(site, DispatchPolicyKind::kSampling, state, sampler);
  const DispatchDecision again = Decide(site, DispatchPolicyKind::kSampling, state, sampler);
  EXPECT_EQ(once.plan, again.plan);
}

TEST(SamplingPolicyTest, PlansOneScenarioIfTheTimeIsUsedUp) {
  const DispatchSite site = RandomSite(30, 6);
  DispatchState state = {.departure = 0, .later_departures = {20, 40, 60}};
  for (NodeIndex customer = 1; customer <= 15; ++customer) {
    state.requests.push_back(site.RequestOf(customer, ""));
  }
  const auto policy = MakeDispatchPolicy(
      site,
      {.kind = DispatchPolicyKind::kSampling, .sampler = std::make_shared<SiteSampler>(site, 10)});
  const auto decision = (*policy)->Decide(
      state, {.stop = StopCondition(SteadyNow() - absl::Seconds(1), nullptr), .seed = 3});
  ASSERT_TRUE(decision.ok()) << decision.status();
  EXPECT_EQ(decision->scenarios, 1);
  EXPECT_EQ(Leaving(*decision).size() + decision->waiting.size(), 15u);
}

TEST(MakeDispatchPolicyTest, RefusesASamplingPolicyWithoutADistribution) {
  const auto policy = MakeDispatchPolicy(LineSite(), {.kind = DispatchPolicyKind::kHorizon});
  EXPECT_EQ(policy.status().code(), absl::StatusCode::kFailedPrecondition);
}

// A model that gives each request the same prize.
class EqualPrizes : public PrizeModel {
 public:
  explicit EqualPrizes(double prize) : prize_(prize) {}
  absl::StatusOr<std::vector<double>> Prizes(const DispatchState& state,
                                             const DecisionOptions&) const override {
    return std::vector<double>(state.requests.size(), prize_);
  }

 private:
  const double prize_;
};

TEST(MakeDispatchPolicyTest, AsksTheModelForPrizes) {
  const DispatchSite site = LineSite();
  const auto policy = MakeDispatchPolicy(site, {.kind = DispatchPolicyKind::kModel,
                                                .sampler = std::make_shared<SiteSampler>(site, 10),
                                                .model = std::make_shared<EqualPrizes>(15)});
  ASSERT_TRUE(policy.ok()) << policy.status();
  const auto decision = (*policy)->Decide(OneOfThreeMustGo(site), kShort);
  ASSERT_TRUE(decision.ok()) << decision.status();
  EXPECT_EQ(Leaving(*decision), std::set<NodeIndex>({0, 1}));
}

TEST(MakeDispatchPolicyTest, RefusesAModelPolicyWithoutAModel) {
  const DispatchSite site = LineSite();
  const auto policy = MakeDispatchPolicy(
      site,
      {.kind = DispatchPolicyKind::kModel, .sampler = std::make_shared<SiteSampler>(site, 10)});
  EXPECT_EQ(policy.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(policy.status().message().find("trained dispatch model"), std::string::npos);
}

TEST(MakeDispatchPolicyTest, RefusesParametersOutOfRange) {
  const DispatchSite site = LineSite();
  const auto sampler = std::make_shared<SiteSampler>(site, 10);
  for (const SamplingParameters& wrong :
       {SamplingParameters{.rounds = 0}, SamplingParameters{.scenarios = 0},
        SamplingParameters{.lookahead = -1}, SamplingParameters{.dispatch_share = 1.5},
        SamplingParameters{.dispatch_share = 0.2, .postpone_share = 0.3}}) {
    const auto policy = MakeDispatchPolicy(site, {.sampler = sampler, .sampling = wrong});
    EXPECT_EQ(policy.status().code(), absl::StatusCode::kInvalidArgument);
  }
}

TEST(MakeDispatchPolicyTest, KnowsEachPolicyByItsName) {
  for (const DispatchPolicyKind kind :
       {DispatchPolicyKind::kGreedy, DispatchPolicyKind::kLazy, DispatchPolicyKind::kHorizon,
        DispatchPolicyKind::kSampling, DispatchPolicyKind::kModel}) {
    EXPECT_EQ(ParseDispatchPolicy(DispatchPolicyName(kind)), kind);
  }
  EXPECT_EQ(ParseDispatchPolicy("eager"), std::nullopt);
}

// Serving request 0 on the way costs nothing, request 2 costs 20.
TEST(PlanWithPrizesTest, ServesRequestsWhosePrizeIsWorthTheDetour) {
  const DispatchSite site = LineSite();
  const DispatchState state = OneOfThreeMustGo(site);
  const auto served = [&](std::vector<double> prizes) {
    const auto plan = PlanWithPrizes(site, state, prizes, kShort);
    EXPECT_TRUE(plan.ok()) << plan.status();
    DispatchDecision decision = {.plan = *plan};
    return Leaving(decision);
  };
  EXPECT_EQ(served({0, 0, 0}), std::set<NodeIndex>({1}));
  EXPECT_EQ(served({1, 0, 19}), std::set<NodeIndex>({0, 1}));
  EXPECT_EQ(served({1, 0, 21}), std::set<NodeIndex>({0, 1, 2}));
}

}  // namespace
}  // namespace vrp
