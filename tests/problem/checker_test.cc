#include "core/problem/checker/checker.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/instance_builder.h"
#include "tests/testing/random_plan.h"

namespace vrp {
namespace {

using test::AnInstance;
using test::OnALine;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<ViolationKind> Kinds(const CheckReport& report) {
  std::vector<ViolationKind> kinds;
  for (const Violation& violation : report.violations) kinds.push_back(violation.kind);
  EXPECT_EQ(report.feasible, kinds.empty());
  return kinds;
}

const Plan kAll = {{0, {1, 2, 3}}};

TEST(CheckerTest, AcceptsAFeasiblePlanAndComputesItsCost) {
  const CheckReport report = CheckPlan(OnALine().Build(), kAll, 60.0);
  EXPECT_THAT(Kinds(report), IsEmpty());
  EXPECT_EQ(report.cost, 60);
}

TEST(CheckerTest, ReportsUnknownNodes) {
  const CheckReport report = CheckPlan(OnALine().Build(), {{0, {1, 0, 2, 3, 4, -7}}});
  EXPECT_THAT(Kinds(report), ElementsAre(ViolationKind::kUnknownNode, ViolationKind::kUnknownNode,
                                         ViolationKind::kUnknownNode));
  EXPECT_EQ(report.violations[2].node, -7);
  EXPECT_EQ(report.cost, 60);
}

TEST(CheckerTest, ReportsUnknownVehicleTypes) {
  EXPECT_THAT(Kinds(CheckPlan(OnALine().Build(), {{1, {1, 2, 3}}})),
              ElementsAre(ViolationKind::kUnknownVehicle));
  EXPECT_THAT(Kinds(CheckPlan(OnALine().Build(), {{-1, {1, 2, 3}}})),
              ElementsAre(ViolationKind::kUnknownVehicle));
}

TEST(CheckerTest, ReportsMissingAndDuplicateCustomers) {
  const CheckReport report = CheckPlan(OnALine().Build(), {{0, {1, 1}}, {0, {3}}});
  EXPECT_THAT(Kinds(report),
              ElementsAre(ViolationKind::kDuplicateCustomer, ViolationKind::kMissingCustomer));
  EXPECT_EQ(report.violations[0].node, 1);
  EXPECT_EQ(report.violations[1].node, 2);
  EXPECT_EQ(report.violations[1].route, -1);
}

TEST(CheckerTest, ReportsAnOverloadWithItsAmount) {
  const Instance instance = OnALine().Demands({5, 6, 20}).Capacity(30).Build();
  const CheckReport report = CheckPlan(instance, kAll);
  ASSERT_THAT(Kinds(report), ElementsAre(ViolationKind::kCapacity));
  EXPECT_EQ(report.violations[0].amount, 1);
  EXPECT_EQ(report.violations[0].message, "routes[0]: load 31 exceeds vehicle capacity 30");
  EXPECT_TRUE(CheckPlan(OnALine().Demands({5, 5, 20}).Capacity(30).Build(), kAll).feasible);
}

TEST(CheckerTest, AddsBackhaulsToTheLoadOnBoard) {
  const Instance instance = OnALine().Capacity(10).Demands({8, 0, 0}).Backhauls({0, 6, 5}).Build();
  EXPECT_THAT(Kinds(CheckPlan(instance, kAll)), ElementsAre(ViolationKind::kCapacity));
  EXPECT_TRUE(CheckPlan(instance, {{0, {1, 2}}, {0, {3}}}).feasible);
}

TEST(CheckerTest, ReportsADeliveryAfterABackhaul) {
  const Instance instance = OnALine().Demands({1, 0, 1}).Backhauls({0, 1, 0}).Build();
  const CheckReport report = CheckPlan(instance, kAll);
  ASSERT_THAT(Kinds(report), ElementsAre(ViolationKind::kBackhaulOrder));
  EXPECT_EQ(report.violations[0].node, 3);
  EXPECT_TRUE(CheckPlan(instance, {{0, {1, 3, 2}}}).feasible);
}

TEST(CheckerTest, ReportsLateArrivalsAndALateReturn) {
  const Instance instance = OnALine().Windows({{0, 10}, {0, 19}, {0, 40}}, 59).Build();
  const CheckReport report = CheckPlan(instance, kAll);
  ASSERT_THAT(Kinds(report), ElementsAre(ViolationKind::kTimeWindow, ViolationKind::kTimeWindow));
  EXPECT_EQ(report.violations[0].node, 2);
  EXPECT_EQ(report.violations[0].amount, 1);
  EXPECT_THAT(report.violations[1].message, HasSubstr("returns to depot 0 at 60"));
}

TEST(CheckerTest, AcceptsBothEndsOfAWindow) {
  EXPECT_TRUE(
      CheckPlan(OnALine().Windows({{10, 10}, {20, 20}, {30, 30}}, 60).Build(), kAll).feasible);
}

TEST(CheckerTest, AddsServiceTimesToLaterArrivals) {
  const Instance instance = OnALine().Service(5).Windows({{0, 10}, {0, 25}, {0, 39}}, 99).Build();
  EXPECT_THAT(Kinds(CheckPlan(instance, kAll)), ElementsAre(ViolationKind::kTimeWindow));
}

TEST(CheckerTest, ReportsADurationOnlyIfNoStartTimeMeetsTheLimit) {
  auto builder = OnALine().Windows({{100, 200}, {300, 400}, {0, 900}}, 1000);
  EXPECT_TRUE(CheckPlan(builder.MaxDuration(150).Build(), kAll).feasible);
  const CheckReport report = CheckPlan(builder.MaxDuration(149).Build(), kAll);
  ASSERT_THAT(Kinds(report), ElementsAre(ViolationKind::kDuration));
  EXPECT_NEAR(report.violations[0].amount, 1, 1e-9);
  EXPECT_THAT(Kinds(CheckPlan(OnALine().MaxDuration(59).Build(), kAll)),
              ElementsAre(ViolationKind::kDuration));
}

TEST(CheckerTest, ReportsRoutesBeyondTheDistanceLimit) {
  EXPECT_TRUE(CheckPlan(OnALine().MaxDistance(60).Build(), kAll).feasible);
  const CheckReport report = CheckPlan(OnALine().MaxDistance(59).Build(), kAll);
  ASSERT_THAT(Kinds(report), ElementsAre(ViolationKind::kDistance));
  EXPECT_EQ(report.violations[0].amount, 1);
  EXPECT_EQ(report.violations[0].message, "routes[0]: drives 60, farther than the limit 59");
}

TEST(CheckerTest, IgnoresTheReturnLegOfAnOpenRoute) {
  const Plan two = {{0, {1, 2}}, {0, {3}}};
  EXPECT_EQ(CheckPlan(OnALine().OpenEnd().Build(), two, 50.0).cost, 50);
  EXPECT_TRUE(CheckPlan(OnALine().OpenEnd().MaxDistance(30).Build(), two).feasible);
  EXPECT_THAT(Kinds(CheckPlan(OnALine().OpenEnd().MaxDistance(29).Build(), two)),
              ElementsAre(ViolationKind::kDistance));
  // The duration includes the service of the last customer.
  auto timed = OnALine().OpenEnd().Service(5);
  EXPECT_TRUE(CheckPlan(timed.MaxDuration(35).Build(), two).feasible);
  EXPECT_THAT(Kinds(CheckPlan(timed.MaxDuration(34).Build(), two)),
              ElementsAre(ViolationKind::kDuration));
}

TEST(CheckerTest, AllowsTheDepotToCloseBeforeAnOpenRouteEnds) {
  auto builder = OnALine().Windows({{0, 90}, {0, 90}, {0, 90}}, 40);
  EXPECT_THAT(Kinds(CheckPlan(builder.Build(), kAll)), ElementsAre(ViolationKind::kTimeWindow));
  EXPECT_TRUE(CheckPlan(builder.OpenEnd().Build(), kAll).feasible);
}

TEST(CheckerTest, MeasuresTheDurationOfALateRouteWithoutItsInitialWait) {
  // The vehicle waits at customer 1 until 100, so it is 60 late at customer 2. The route without
  // the wait lasts from 90 to 150.
  const Instance instance =
      OnALine().Windows({{100, 200}, {0, 50}, {0, 900}}, 1000).MaxDuration(60).Build();
  EXPECT_THAT(Kinds(CheckPlan(instance, kAll)), ElementsAre(ViolationKind::kTimeWindow));
}

TEST(CheckerTest, ReportsMoreRoutesThanVehicles) {
  const Instance instance = OnALine().Vehicles(2).Build();
  EXPECT_TRUE(CheckPlan(instance, {{0, {1}}, {0, {}}, {0, {2, 3}}}).feasible);
  const CheckReport report = CheckPlan(instance, {{0, {1}}, {0, {2}}, {0, {3}}});
  ASSERT_THAT(Kinds(report), ElementsAre(ViolationKind::kFleetSize));
  EXPECT_EQ(report.violations[0].amount, 1);
}

TEST(CheckerTest, ReportsATspWithoutExactlyOneTour) {
  const Instance instance = OnALine().Kind(ProblemKind::kTsp).Build();
  EXPECT_TRUE(CheckPlan(instance, kAll).feasible);
  EXPECT_THAT(Kinds(CheckPlan(instance, {{0, {1, 2}}, {0, {3}}})),
              ElementsAre(ViolationKind::kTourCount));
}

TEST(CheckerTest, ReportsAWrongClaimedCost) {
  const Instance rounded = OnALine().As(Metric::kRounded).Build();
  EXPECT_TRUE(CheckPlan(rounded, kAll, 60.5).feasible);
  EXPECT_THAT(Kinds(CheckPlan(rounded, kAll, 60.6)), ElementsAre(ViolationKind::kCostMismatch));
  EXPECT_THAT(Kinds(CheckPlan(rounded, kAll, std::nan(""))),
              ElementsAre(ViolationKind::kCostMismatch));
  const Instance exact = OnALine().Build();
  EXPECT_TRUE(CheckPlan(exact, kAll, 60 + 5e-5).feasible);
  EXPECT_THAT(Kinds(CheckPlan(exact, kAll, 60 + 7e-5)), ElementsAre(ViolationKind::kCostMismatch));
}

TEST(CheckerTest, ReportsAllViolationsAtOnce) {
  const Instance instance =
      OnALine().Demands({6, 6, 1}).Windows({{0, 5}, {0, 99}, {0, 99}}, 99).Vehicles(1).Build();
  const CheckReport report = CheckPlan(instance, {{0, {1, 2}}, {0, {2, 9}}}, 1.0);
  EXPECT_THAT(Kinds(report),
              ElementsAre(ViolationKind::kCapacity, ViolationKind::kTimeWindow,
                          ViolationKind::kDuplicateCustomer, ViolationKind::kUnknownNode,
                          ViolationKind::kMissingCustomer, ViolationKind::kFleetSize,
                          ViolationKind::kCostMismatch));
}

TEST(CheckerTest, StartsEachVehicleAtItsDepot) {
  InstanceData data = OnALine().BuildData();
  data.num_depots = 2;
  data.demands[1] = 0;
  data.vehicles = {{.id = "a", .count = 1, .depot = 0}, {.id = "b", .count = 1, .depot = 1}};
  const Instance instance = *Instance::Create(data);
  EXPECT_EQ(CheckPlan(instance, {{1, {2, 3}}}).cost, 40);
  EXPECT_EQ(CheckPlan(instance, {{0, {2, 3}}}).cost, 60);
  EXPECT_THAT(Kinds(CheckPlan(instance, {{1, {2}}, {1, {3}}})),
              ElementsAre(ViolationKind::kFleetSize));
}

TEST(CheckerTest, NamesEachKindDifferently) {
  const std::set<std::string_view> names(kViolationNames.begin(), kViolationNames.end());
  EXPECT_EQ(names.size(), kViolationNames.size());
  EXPECT_EQ(ViolationName(ViolationKind::kTimeWindow), "time_window");
}

TEST(CheckerTest, ReportsEveryCustomerOfAnEmptyPlanAsMissing) {
  EXPECT_EQ(CheckPlan(OnALine().Build(), {}).violations.size(), 3u);
}

// A comparison of the checker with MakeSolution. The two share no code.
class CheckerAgreesTest : public testing::TestWithParam<Metric> {};

TEST_P(CheckerAgreesTest, OnCostsAndTimesOfRandomPlans) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    auto builder = AnInstance().WithCustomers(12).Seed(seed).As(GetParam()).RandomDemands();
    if (seed % 2 == 1) builder.RandomWindows().Service(3);
    if (seed % 3 == 1) builder.ExplicitMatrix(0.5);
    const Instance instance = builder.Build();
    const Plan plan = test::RandomFeasiblePlan(instance, seed);
    const Solution solution = *MakeSolution(instance, plan);
    const CheckReport report = CheckPlan(instance, plan, solution.cost);
    // Exact sums depend on their order. Other metrics sum whole units.
    EXPECT_NEAR(report.cost, solution.cost, GetParam() == Metric::kExact ? 1e-9 : 0);
    for (const Violation& violation : report.violations) ADD_FAILURE() << violation.message;
    for (const Route& route : solution.routes) {
      for (const Stop& stop : route.stops) {
        EXPECT_LE(stop.start, instance.window(stop.node).close + 1e-6);
        EXPECT_GE(stop.start, instance.window(stop.node).open);
      }
    }
  }
}

// Compares MakeSolution and the checker with the least duration among many start times.
TEST(CheckerTest, FindsTheLeastDurationOfAllStarts) {
  for (uint64_t seed = 0; seed < 30; ++seed) {
    auto builder = AnInstance().WithCustomers(4).Seed(seed).RandomWindows().Service(2);
    const Instance free = builder.Build();
    const Plan plan = {test::RandomFeasiblePlan(free, seed).front()};
    const double least = MakeSolution(builder.MaxDuration(1e6).Build(), plan)->duration;
    double best = 1e9;
    for (double start = 0; start < 1000; start += 0.25) {
      double time = start;
      bool in_time = true;
      NodeIndex at = 0;
      for (const NodeIndex node : plan[0].customers) {
        time = std::max(time + free.Duration(at, node), free.window(node).open);
        in_time = in_time && time <= free.window(node).close;
        time += free.service(node);
        at = node;
      }
      if (in_time) best = std::min(best, time + free.Duration(at, 0) - start);
    }
    EXPECT_LE(least, best + 1e-9);
    EXPECT_GE(least, best - 0.25);
    const auto has_duration = [](const CheckReport& report) {
      return std::any_of(report.violations.begin(), report.violations.end(),
                         [](auto& v) { return v.kind == ViolationKind::kDuration; });
    };
    EXPECT_FALSE(has_duration(CheckPlan(builder.MaxDuration(least).Build(), plan)));
    EXPECT_TRUE(has_duration(CheckPlan(builder.MaxDuration(least - 0.01).Build(), plan)));
  }
}

INSTANTIATE_TEST_SUITE_P(Metrics, CheckerAgreesTest,
                         testing::Values(Metric::kExact, Metric::kRounded, Metric::kCeiled,
                                         Metric::kDimacs, Metric::kScaled1000),
                         [](const auto& param_info) {
                           return std::string(MetricName(param_info.param));
                         });

}  // namespace
}  // namespace vrp
