#include "core/solve/small_optimum.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/base/steady_time.h"
#include "core/problem/checker/checker.h"
#include "core/problem/plan/plan_value.h"
#include "core/search/search.h"
#include "tests/testing/brute_force.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using test::AnInstance;
using test::BruteForceOptimum;
using test::BruteForceResult;
using test::InstanceBuilder;

std::optional<Plan> Optimum(const Instance& instance) {
  return SmallOptimum(instance, StopCondition());
}

// Expects a plan as good as the best of all that the checker accepts.
void ExpectOptimal(const Instance& instance) {
  const std::optional<Plan> plan = Optimum(instance);
  ASSERT_TRUE(plan.has_value());
  const CheckReport report = CheckPlan(instance, *plan);
  EXPECT_TRUE(RoutesAreFeasible(report));
  const BruteForceResult best = BruteForceOptimum(instance);
  EXPECT_EQ(report.feasible, best.feasible);
  if (!best.feasible) return;
  EXPECT_NEAR(PlanCost(instance, *plan), best.cost, 1e-9 * best.cost);
}

// Expects that no search finds a better plan than the reported optimum.
void ExpectNoSearchIsBetter(const Instance& instance) {
  const std::optional<Plan> plan = Optimum(instance);
  ASSERT_TRUE(plan.has_value());
  EXPECT_TRUE(RoutesAreFeasible(CheckPlan(instance, *plan)));
  SearchOptions options;
  options.max_iterations = 2000;
  const auto found = Search(instance, options);
  ASSERT_TRUE(found.ok()) << found.status();
  const PlanValue best = ValueOf(instance, *plan);
  const PlanValue other = ValueOf(instance, found->plan);
  const PlanValue tolerated{
      .left_out = other.left_out, .routes = other.routes, .cost = other.cost + 1e-9};
  EXPECT_TRUE(best <= tolerated) << best.left_out << " " << best.routes << " " << best.cost
                                 << " against " << other.left_out << " " << other.routes << " "
                                 << other.cost;
}

class SmallOptimumTest : public testing::TestWithParam<uint64_t> {
 protected:
  static InstanceBuilder WithCustomers(int32_t customers) {
    return AnInstance().WithCustomers(customers).Seed(GetParam());
  }
  static InstanceBuilder WithDemands(int32_t customers) {
    return WithCustomers(customers).RandomDemands().Capacity(14);
  }
};

TEST_P(SmallOptimumTest, AgreesWithBruteForceOnPlainInstances) {
  for (const int32_t customers : {1, 2, 4, 6}) {
    ExpectOptimal(WithDemands(customers).Build());
    ExpectOptimal(WithDemands(customers).As(Metric::kRounded).Build());
    ExpectOptimal(WithDemands(customers).ExplicitMatrix(0.5).Build());
    ExpectOptimal(WithCustomers(customers).Kind(ProblemKind::kTsp).Build());
    ExpectOptimal(WithDemands(customers).RandomWindows().Service(3).Build());
  }
  ExpectOptimal(WithDemands(7).Build());
}

TEST_P(SmallOptimumTest, AgreesWithBruteForceForATightFleet) {
  for (const int32_t vehicles : {1, 2, 3}) {
    ExpectOptimal(WithDemands(5).Vehicles(vehicles).Build());
    ExpectOptimal(WithCustomers(5).Vehicles(vehicles).RandomWindows().Service(5).Build());
  }
}

TEST_P(SmallOptimumTest, AgreesWithBruteForceOnConstrainedInstances) {
  for (const int32_t customers : {1, 3, 5}) {
    ExpectOptimal(WithDemands(customers).MaxDuration(200).Service(2).Build());
    ExpectOptimal(WithDemands(customers).MaxDistance(220).Build());
    ExpectOptimal(WithDemands(customers).OpenEnd().Build());
    ExpectOptimal(WithDemands(customers).OpenEnd().RandomWindows().Build());
  }
}

Instance MakeInstance(InstanceData data) { return *Instance::Create(std::move(data)); }

TEST_P(SmallOptimumTest, IsNoWorseThanSearchWithDifferentVehiclesPrizesAndPriorities) {
  InstanceData data = WithDemands(4).BuildData();
  data.objective = Objective::kCost;
  data.vehicles = {{.count = 1, .capacity = 9, .fixed_cost = 20},
                   {.count = 1, .capacity = 14, .fixed_cost = 60, .cost_per_distance = 0.5}};
  ExpectNoSearchIsBetter(MakeInstance(data));
  data.prizes.assign(5, kNoLimit);
  data.prizes[1] = 30;
  data.prizes[3] = 90;
  ExpectNoSearchIsBetter(MakeInstance(data));
  data.prizes.clear();
  data.priorities = {0, 3, 0, 7, 1};
  data.vehicles.pop_back();
  ExpectNoSearchIsBetter(MakeInstance(data));
}

TEST_P(SmallOptimumTest, IsNoWorseThanSearchWithFewestVehiclesFirstAndAlternatives) {
  InstanceData data = WithDemands(5).BuildData();
  data.objective = Objective::kVehiclesThenDistance;
  ExpectNoSearchIsBetter(MakeInstance(data));
  data.alternative_groups = {{1, 2}, {3, 4}};
  ExpectNoSearchIsBetter(MakeInstance(data));
}

INSTANTIATE_TEST_SUITE_P(Seeds, SmallOptimumTest, testing::Range<uint64_t>(1, 9));

TEST(SmallOptimum, DropsAsFewCustomersAsPossible) {
  const Instance instance = AnInstance().WithCustomers(6).Capacity(2).Vehicles(2).Build();
  const std::optional<Plan> plan = Optimum(instance);
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(FindUnserved(instance, *plan).customers.size(), 2);
}

TEST(SmallOptimum, AcceptsArrivalExactlyAtTheWindowsEnd) {
  // In floating point, 0.1 + 0.2 is slightly more than 0.3.
  const Instance instance =
      AnInstance().At({{0, 0}, {0.1, 0}, {0.3, 0}}).Windows({{0, 10}, {0, 0.3}}, 10).Build();
  const std::optional<Plan> plan = Optimum(instance);
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->size(), 1) << "one route must serve both customers";
}

TEST(SmallOptimum, RefusesLargeInstances) {
  EXPECT_FALSE(Optimum(AnInstance().WithCustomers(9).Build()).has_value());
  EXPECT_TRUE(Optimum(AnInstance().WithCustomers(8).Build()).has_value());
  EXPECT_FALSE(Optimum(AnInstance().WithCustomers(6).MaxDuration(500).Build()).has_value());
  EXPECT_FALSE(Optimum(AnInstance().WithCustomers(1000).MaxDuration(500).Build()).has_value());
}

TEST(SmallOptimum, RefusesInstancesWithReloads) {
  InstanceData data = AnInstance().WithCustomers(2).Capacity(1).BuildData();
  data.vehicles[0].max_reloads = 1;
  EXPECT_FALSE(Optimum(MakeInstance(data)).has_value());
}

TEST(SmallOptimum, ObeysTheStopCondition) {
  const StopCondition passed(absl::InfinitePast(), nullptr);
  EXPECT_FALSE(SmallOptimum(AnInstance().WithCustomers(8).Build(), passed).has_value());
}

}  // namespace
}  // namespace vrp
