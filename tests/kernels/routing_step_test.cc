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

// A trajectory with its state, mask and choices.
struct MaskedTrajectory {
  explicit MaskedTrajectory(const RoutingProblem& problem)
      : rules(MakeStepRules(problem)),
        visited(static_cast<size_t>(problem.nodes)),
        mask(visited.size()),
        state(BeginTrajectory(rules, visited.data())) {}

  int32_t Mask() { return WriteMask(rules, state, visited.data(), mask.data()); }
  void Visit(int32_t node) {
    Take(rules, node, state, visited.data());
    choices.push_back(node);
  }
  void VisitRandomNode(CounterRandom& random) {
    int64_t skip = random.UniformInt(0, Mask() - 1);
    int32_t node = 0;
    while (mask[node] != 0 || skip-- > 0) ++node;
    Visit(node);
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

// Whether the plan's only violations are missing customers.
bool IsPartOfAPlan(const Instance& instance, const Plan& plan) {
  for (const Violation& violation : CheckPlan(instance, plan).violations) {
    if (violation.kind != ViolationKind::kMissingCustomer) return false;
  }
  return true;
}

class RoutingVariantTest : public testing::TestWithParam<CaseOptions> {};

TEST_P(RoutingVariantTest, RandomTrajectoriesAreFeasibleAndHaveTheCheckersCost) {
  CaseOptions options = GetParam();
  for (uint64_t seed = 0; seed < 20; ++seed) {
    options.seed = GetParam().seed + 100 * seed;
    const RoutingCase routing(options);
    CounterRandom random(seed, 3);
    MaskedTrajectory trajectory(routing.problem());
    while (!IsDone(trajectory.state)) {
      ASSERT_GT(trajectory.Mask(), 0);
      trajectory.VisitRandomNode(random);
      ASSERT_LE(trajectory.choices.size(), 2u * options.nodes);
    }
    const CheckReport report = CheckPlan(routing.instance(), routing.PlanOf(trajectory.choices),
                                         MetricSum(options.metric, trajectory.state.cost));
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
    MaskedTrajectory trajectory(routing.problem());
    while (!IsDone(trajectory.state)) {
      trajectory.Mask();
      for (int32_t n = 1; n < options.nodes; ++n) {
        std::vector<int32_t> longer = trajectory.choices;
        longer.push_back(n);
        const bool fits = IsPartOfAPlan(routing.instance(), routing.PlanOf(longer));
        ASSERT_EQ(trajectory.mask[n] == 0, fits)
            << "node " << n << " after " << trajectory.choices.size();
        ASSERT_TRUE(trajectory.mask[n] == 0 || trajectory.mask[n] == kForbidden);
        ASSERT_EQ(trajectory.mask[n] == 0,
                  IsAllowed(trajectory.rules, trajectory.state, trajectory.visited.data(), n));
      }
      ASSERT_EQ(trajectory.mask[0] == 0, trajectory.state.current != 0);
      trajectory.VisitRandomNode(random);
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
  MaskedTrajectory trajectory({.nodes = 3, .tsp = true, .x = x.data(), .y = y.data()});
  EXPECT_EQ(trajectory.Mask(), 3);
  trajectory.Visit(2);
  EXPECT_EQ(trajectory.Mask(), 2);
  trajectory.Visit(0);
  EXPECT_EQ(trajectory.Mask(), 1);
  trajectory.Visit(1);
  EXPECT_TRUE(IsDone(trajectory.state));
  EXPECT_DOUBLE_EQ(trajectory.state.cost, 12);
}

TEST(RoutingStepTest, SharesReportTheRemainingResources) {
  const std::vector<double> x = {0, 3, 3, 0};
  const std::vector<double> y = {0, 0, 4, 4};
  const std::vector<double> demands = {0, 6, 0, 0};
  const std::vector<double> backhauls = {0, 0, 5, 1};
  MaskedTrajectory trajectory({.nodes = 4,
                               .capacity = 8,
                               .distance_limit = 20,
                               .duration_limit = 50,
                               .x = x.data(),
                               .y = y.data(),
                               .demands = demands.data(),
                               .backhauls = backhauls.data(),
                               .horizon = 100,
                               .scale = 10});
  EXPECT_EQ(trajectory.Shares(), (std::vector<double>{1, 0, 2, 0}));
  trajectory.Visit(1);
  EXPECT_EQ(trajectory.Shares(), (std::vector<double>{2.0 / 8, 0.03, 1.7, 0}));
  trajectory.Visit(2);
  EXPECT_EQ(trajectory.Shares(), (std::vector<double>{3.0 / 8, 0.07, 1.3, 1}));
  trajectory.Visit(0);
  EXPECT_EQ(trajectory.Shares(), (std::vector<double>{1, 0, 2, 0}));
}

TEST(RoutingStepTest, LoadShareIsOneWithoutACapacity) {
  const std::vector<double> x = {0, 3, 3};
  MaskedTrajectory trajectory({.nodes = 3, .x = x.data(), .y = x.data()});
  EXPECT_EQ(trajectory.Shares(), (std::vector<double>{1, 0, 0, 0}));
  trajectory.Visit(1);
  EXPECT_EQ(trajectory.Shares(), (std::vector<double>{1, 0, 0, 0}));
}

TEST(RoutingStepTest, SumsOfFractionsMayFillAVehicle) {
  const std::vector<double> x(11, 1.0);
  std::vector<double> demands(11, 0.1);
  demands[0] = 0;
  MaskedTrajectory trajectory(
      {.nodes = 11, .capacity = 1, .x = x.data(), .y = x.data(), .demands = demands.data()});
  for (int32_t n = 1; n < 10; ++n) trajectory.Visit(n);
  trajectory.Mask();
  EXPECT_EQ(trajectory.mask[10], 0);
}

TEST(RoutingStepTest, ALaterStartSavesWaitingAsFarAsWindowsAllow) {
  // The legs take 10, 10 and 20. The second customer opens at 100, so a vehicle that leaves at 80
  // is back after 40. If the first customer closes at 60, the vehicle must leave at 50. Then it
  // waits for 30 at the second customer and is back after 70.
  const std::vector<double> x = {0, 10, 20};
  const std::vector<double> y = {0, 0, 0};
  const std::vector<double> opens = {0, 0, 100};
  for (const double close : {60.0, 90.0}) {
    const std::vector<double> closes = {1000, close, 200};
    const double shortest = close < 90 ? 70 : 40;
    for (const double limit : {shortest - 0.1, shortest}) {
      MaskedTrajectory trajectory({.nodes = 3,
                                   .duration_limit = limit,
                                   .x = x.data(),
                                   .y = y.data(),
                                   .window_opens = opens.data(),
                                   .window_closes = closes.data()});
      trajectory.Visit(1);
      trajectory.Mask();
      EXPECT_EQ(trajectory.mask[2] == 0, limit == shortest) << close << ", " << limit;
    }
  }
}

TEST(RoutingStepTest, RefusesLatenessThatTheCheckerRefuses) {
  // The windows span 60 from 900 on. The checker tolerates 6e-5, and the rules tolerate half of it.
  const std::vector<double> y = {0, 0};
  const std::vector<double> opens = {900, 900};
  const std::vector<double> closes = {960, 920};
  for (const double late : {1e-5, 2e-4}) {
    const std::vector<double> x = {0, 20 + late};
    MaskedTrajectory trajectory({.nodes = 2,
                                 .x = x.data(),
                                 .y = y.data(),
                                 .window_opens = opens.data(),
                                 .window_closes = closes.data()});
    trajectory.Mask();
    InstanceData data;
    data.kind = ProblemKind::kVrptw;
    data.positions = {{x[0], y[0]}, {x[1], y[1]}};
    data.demands = {0, 1};
    data.vehicles = {VehicleType{.capacity = 1}};
    data.windows = {{opens[0], closes[0]}, {opens[1], closes[1]}};
    const absl::StatusOr<Instance> instance = Instance::Create(data);
    ASSERT_TRUE(instance.ok()) << instance.status();
    const bool feasible = CheckPlan(*instance, {{.customers = {1}}}).feasible;
    EXPECT_EQ(feasible, late < 6e-5) << late;
    EXPECT_EQ(trajectory.mask[1] == 0, feasible) << late;
  }
}

TEST(RoutingStepTest, AllowsNoNodeIfNoEmptyVehicleCanServeACustomer) {
  const std::vector<double> x = {0, 10};
  const std::vector<double> y = {0, 0};
  MaskedTrajectory trajectory({.nodes = 2, .distance_limit = 15, .x = x.data(), .y = y.data()});
  EXPECT_EQ(trajectory.Mask(), 0);
}

TEST(RoutingStepTest, OpenRoutesEndWithTheirLastCustomer) {
  const std::vector<double> x = {0, 10, -10};
  const std::vector<double> y = {0, 0, 0};
  MaskedTrajectory trajectory(
      {.nodes = 3, .open_routes = true, .distance_limit = 15, .x = x.data(), .y = y.data()});
  trajectory.Visit(1);
  trajectory.Mask();
  EXPECT_EQ(trajectory.mask, (std::vector<double>{0, kForbidden, kForbidden}));
  trajectory.Visit(0);
  trajectory.Visit(2);
  EXPECT_TRUE(IsDone(trajectory.state));
  EXPECT_DOUBLE_EQ(trajectory.state.cost, 20);
}

}  // namespace
}  // namespace vrp
