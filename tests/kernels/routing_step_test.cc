#include "core/kernels/routing/routing_step.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/problem/checker/checker.h"
#include "tests/kernels/routing_case.h"

namespace vrp {
namespace {

constexpr double kForbidden = -std::numeric_limits<double>::infinity();

// A trajectory of random choices.
struct RandomTrajectory {
  explicit RandomTrajectory(const RoutingProblem& problem)
      : rules(MakeStepRules(problem)),
        visited(static_cast<size_t>(problem.nodes)),
        mask(visited.size()),
        state(BeginTrajectory(rules, visited.data())) {}

  int32_t Mask() { return WriteMask(rules, state, visited.data(), mask.data()); }
  void Go(int32_t node) {
    Take(rules, node, state, visited.data());
    choices.push_back(node);
  }
  void GoAnywhere(CounterRandom& random) {
    int64_t skip = random.UniformInt(0, Mask() - 1);
    int32_t node = 0;
    while (mask[node] != 0 || skip-- > 0) ++node;
    Go(node);
  }
  std::vector<double> Shares() const {
    std::vector<double> shares(kContextShares);
    WriteShares(rules, state, shares.data());
    return shares;
  }

  StepRules rules;
  std::vector<uint8_t> visited;
  std::vector<double> mask;
  RouteState state;
  std::vector<int32_t> choices;
};

// Whether the plan violates nothing except that customers are missing.
bool IsPartOfAPlan(const Instance& instance, const Plan& plan) {
  for (const Violation& violation : CheckPlan(instance, plan).violations) {
    if (violation.kind != ViolationKind::kMissingCustomer) return false;
  }
  return true;
}

class RoutingVariantTest : public testing::TestWithParam<CaseOptions> {};

TEST_P(RoutingVariantTest, RandomTrajectoriesAreFeasiblePlansAtTheirCost) {
  CaseOptions options = GetParam();
  for (uint64_t seed = 0; seed < 20; ++seed) {
    options.seed = GetParam().seed + 100 * seed;
    const RoutingCase routing(options);
    CounterRandom random(seed, 3);
    RandomTrajectory walk(routing.problem());
    while (!IsDone(walk.state)) {
      ASSERT_GT(walk.Mask(), 0);
      walk.GoAnywhere(random);
      ASSERT_LE(walk.choices.size(), 2u * options.nodes);
    }
    const CheckReport report = CheckPlan(routing.instance(), routing.PlanOf(walk.choices),
                                         MetricSum(options.metric, walk.state.cost));
    ASSERT_TRUE(report.feasible) << report.violations.front().message;
  }
}

TEST_P(RoutingVariantTest, AllowsExactlyTheNodesThatTheCheckerAccepts) {
  CaseOptions options = GetParam();
  if (options.tsp) return;  // every order is a tour
  for (uint64_t seed = 0; seed < 6; ++seed) {
    options.seed = GetParam().seed + 100 * seed;
    const RoutingCase routing(options);
    CounterRandom random(seed, 4);
    RandomTrajectory walk(routing.problem());
    while (!IsDone(walk.state)) {
      walk.Mask();
      for (int32_t n = 1; n < options.nodes; ++n) {
        std::vector<int32_t> longer = walk.choices;
        longer.push_back(n);
        const bool fits = IsPartOfAPlan(routing.instance(), routing.PlanOf(longer));
        ASSERT_EQ(walk.mask[n] == 0, fits) << "node " << n << " after " << walk.choices.size();
        ASSERT_TRUE(walk.mask[n] == 0 || walk.mask[n] == kForbidden);
        ASSERT_EQ(walk.mask[n] == 0, IsAllowed(walk.rules, walk.state, walk.visited.data(), n));
      }
      ASSERT_EQ(walk.mask[0] == 0, walk.state.current != 0);
      walk.GoAnywhere(random);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Variants, RoutingVariantTest, testing::ValuesIn(AllCases(9)),
                         [](const auto& test) {
                           return CaseName(test.param) + "_" + std::to_string(test.index);
                         });

TEST(RoutingStepTest, ATspMayBeginAnywhereAndReturnsToItsStart) {
  const std::vector<double> x = {0, 3, 3};
  const std::vector<double> y = {0, 0, 4};
  RandomTrajectory walk({.nodes = 3, .tsp = true, .x = x.data(), .y = y.data()});
  EXPECT_EQ(walk.Mask(), 3);
  walk.Go(2);
  EXPECT_EQ(walk.Mask(), 2);
  walk.Go(0);
  EXPECT_EQ(walk.Mask(), 1);
  walk.Go(1);
  EXPECT_TRUE(IsDone(walk.state));
  EXPECT_DOUBLE_EQ(walk.state.cost, 12);
}

TEST(RoutingStepTest, SharesDescribeTheRemainder) {
  const std::vector<double> x = {0, 3, 3, 0};
  const std::vector<double> y = {0, 0, 4, 4};
  const std::vector<double> demands = {0, 6, 0, 0};
  const std::vector<double> backhauls = {0, 0, 5, 1};
  RandomTrajectory walk({.nodes = 4,
                         .capacity = 8,
                         .distance_limit = 20,
                         .duration_limit = 50,
                         .x = x.data(),
                         .y = y.data(),
                         .demands = demands.data(),
                         .backhauls = backhauls.data(),
                         .horizon = 100,
                         .scale = 10});
  EXPECT_EQ(walk.Shares(), (std::vector<double>{1, 0, 2, 0}));
  walk.Go(1);
  EXPECT_EQ(walk.Shares(), (std::vector<double>{2.0 / 8, 0.03, 1.7, 0}));
  walk.Go(2);
  EXPECT_EQ(walk.Shares(), (std::vector<double>{3.0 / 8, 0.07, 1.3, 1}));
  walk.Go(0);
  EXPECT_EQ(walk.Shares(), (std::vector<double>{1, 0, 2, 0}));
}

TEST(RoutingStepTest, AFullVehicleHasShareOneWithoutLimits) {
  const std::vector<double> x = {0, 3, 3};
  RandomTrajectory walk({.nodes = 3, .x = x.data(), .y = x.data()});
  EXPECT_EQ(walk.Shares(), (std::vector<double>{1, 0, 0, 0}));
  walk.Go(1);
  EXPECT_EQ(walk.Shares(), (std::vector<double>{1, 0, 0, 0}));
}

TEST(RoutingStepTest, SumsOfFractionsMayFillAVehicle) {
  const std::vector<double> x(11, 1.0);
  std::vector<double> demands(11, 0.1);
  demands[0] = 0;
  RandomTrajectory walk(
      {.nodes = 11, .capacity = 1, .x = x.data(), .y = x.data(), .demands = demands.data()});
  for (int32_t n = 1; n < 10; ++n) walk.Go(n);
  walk.Mask();
  EXPECT_EQ(walk.mask[10], 0);
}

TEST(RoutingStepTest, ALaterStartSavesWaitingAsFarAsWindowsAllow) {
  // It takes 10 to the first customer, 10 to the second, which opens at 100, and 20 back: 40 when
  // leaving at 80. But the first customer closes at `close`, which forces a wait after it.
  const std::vector<double> x = {0, 10, 20};
  const std::vector<double> y = {0, 0, 0};
  const std::vector<double> opens = {0, 0, 100};
  for (const double close : {60.0, 90.0}) {
    const std::vector<double> closes = {1000, close, 200};
    const double shortest = close < 90 ? 70 : 40;
    for (const double limit : {shortest - 0.1, shortest}) {
      RandomTrajectory walk({.nodes = 3,
                             .duration_limit = limit,
                             .x = x.data(),
                             .y = y.data(),
                             .window_opens = opens.data(),
                             .window_closes = closes.data()});
      walk.Go(1);
      walk.Mask();
      EXPECT_EQ(walk.mask[2] == 0, limit == shortest) << close << ", " << limit;
    }
  }
}

TEST(RoutingStepTest, AllowsNoNodeIfNoEmptyVehicleArrivesInTime) {
  const std::vector<double> x = {0, 10};
  const std::vector<double> y = {0, 0};
  RandomTrajectory walk({.nodes = 2, .distance_limit = 15, .x = x.data(), .y = y.data()});
  EXPECT_EQ(walk.Mask(), 0);
}

TEST(RoutingStepTest, OpenRoutesEndWithTheirLastCustomer) {
  const std::vector<double> x = {0, 10, -10};
  const std::vector<double> y = {0, 0, 0};
  RandomTrajectory walk(
      {.nodes = 3, .open_routes = true, .distance_limit = 15, .x = x.data(), .y = y.data()});
  walk.Go(1);
  walk.Mask();
  EXPECT_EQ(walk.mask, (std::vector<double>{0, kForbidden, kForbidden}));
  walk.Go(0);
  walk.Go(2);
  EXPECT_TRUE(IsDone(walk.state));
  EXPECT_DOUBLE_EQ(walk.state.cost, 20);
}

}  // namespace
}  // namespace vrp
