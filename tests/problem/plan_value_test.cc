#include "core/problem/plan/plan_value.h"

#include "core/problem/plan/solution.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using testing::ElementsAre;

InstanceData LineData() { return test::OnALine().BuildData(); }

PlanValue Value(const InstanceData& data, const Plan& plan) {
  return ValueOf(*Instance::Create(data), plan);
}

TEST(PlanValueTest, RanksServedCustomersFirst) {
  InstanceData data = LineData();
  data.priorities = {0, 0, 5, 1};
  EXPECT_LT(Value(data, {{0, {1, 2, 3}}}), Value(data, {{0, {1, 2}}}));
  EXPECT_LT(Value(data, {{0, {1, 2}}}), Value(data, {{0, {1, 3}}}));
  EXPECT_EQ(Value(data, {{0, {1}}}).left_out, 8);
}

TEST(PlanValueTest, RanksFewerRoutesBeforeDistanceIfTheObjectiveCountsThem) {
  InstanceData data = LineData();
  data.positions[3] = {-30, 0};
  const Plan one = {{0, {1, 3, 2}}};
  const Plan two = {{0, {1, 2}}, {0, {}}, {0, {3}}};
  EXPECT_LT(Value(data, two), Value(data, one));
  EXPECT_EQ(Value(data, two).routes, 0);
  data.objective = Objective::kVehiclesThenDistance;
  EXPECT_LT(Value(data, one), Value(data, two));
  EXPECT_EQ(Value(data, two).routes, 2);
}

TEST(PlanValueTest, SplitsTheCostIntoParts) {
  InstanceData data = LineData();
  data.objective = Objective::kCost;
  data.vehicles[0].fixed_cost = 7;
  data.vehicles[0].cost_per_distance = 2;
  data.vehicles[0].cost_per_time = 3;
  data.vehicles[0].max_duration = 30;
  data.vehicles[0].max_overtime = 40;
  data.vehicles[0].overtime_cost = 5;
  data.prizes = {kNoLimit, kNoLimit, 11, 13};
  const Solution solution = *MakeSolution(*Instance::Create(data), {{0, {2}}, {0, {1}}});
  EXPECT_EQ(solution.split.fixed, 14);
  EXPECT_EQ(solution.split.distance, 2 * 60);
  EXPECT_EQ(solution.split.duration, 3 * 60);
  EXPECT_EQ(solution.split.overtime, 5 * 10);
  EXPECT_EQ(solution.split.prizes, 13);
  EXPECT_EQ(solution.split.late, 0);
  EXPECT_EQ(solution.cost, 14 + 120 + 180 + 50 + 13);
  EXPECT_EQ(solution.distance, 60);
}

TEST(PlanValueTest, SumsRoundedDistancesInTheirUnit) {
  InstanceData data = LineData();
  data.metric = Metric::kDimacs;
  data.positions[1] = {0.15, 0};
  data.positions[2] = {0.4, 0};
  EXPECT_EQ(Value(data, {{0, {1, 2}}}).cost, 0.7);
}

TEST(PlanValueTest, CountsAnUnservedGroupOnceByItsLargestWeight) {
  InstanceData data = LineData();
  data.alternative_groups = {{2, 3}};
  data.priorities = {0, 0, 9, 4};
  const Instance instance = *Instance::Create(data);
  EXPECT_EQ(FindUnserved(instance, {{0, {1}}}).weight, 10);
  EXPECT_THAT(FindUnserved(instance, {{0, {1}}}).customers, ElementsAre(2, 3));
  EXPECT_THAT(FindUnserved(instance, {{0, {3}}}).customers, ElementsAre(1));
  data.prizes = {kNoLimit, kNoLimit, 6, 6};
  EXPECT_EQ(FindUnserved(*Instance::Create(data), {{0, {1}}}).prizes, 6);
  EXPECT_EQ(FindUnserved(*Instance::Create(data), {{0, {1}}}).weight, 0);
}

TEST(PlanValueTest, LosesTheDifferenceToTheLargestPrizeOfAGroup) {
  InstanceData data = LineData();
  data.alternative_groups = {{1, 2, 3}};
  data.prizes = {kNoLimit, 4, 6, 9};
  const auto lost = [&](const Plan& plan) {
    return FindUnserved(*Instance::Create(data), plan).prizes;
  };
  EXPECT_EQ(lost({}), 9);
  EXPECT_EQ(lost({{0, {1}}}), 5);
  EXPECT_EQ(lost({{0, {3}}}), 0);
  data.prizes[1] = kNoLimit;  // so one of them must be served
  EXPECT_EQ(lost({}), 0);
  EXPECT_EQ(FindUnserved(*Instance::Create(data), {}).weight, 1);
  EXPECT_EQ(lost({{0, {1}}}), 9);
  EXPECT_EQ(lost({{0, {2}}}), 3);
}

TEST(PlanValueTest, CountsUnservedAlternativeShipmentsOnce) {
  InstanceData data = test::AnInstance().WithCustomers(5).BuildData();
  data.shipments = {{.pickup = 1, .delivery = 2, .amounts = {1}},
                    {.pickup = 3, .delivery = 4, .amounts = {1}}};
  data.alternative_groups = {{1, 3}};
  data.priorities = {0, 1, 2, 3, 4, 0};
  EXPECT_EQ(FindUnserved(*Instance::Create(data), {{0, {5}}}).weight, 9);
  EXPECT_EQ(FindUnserved(*Instance::Create(data), {{0, {5, 1, 2}}}).weight, 0);
  EXPECT_THAT(FindUnserved(*Instance::Create(data), {{0, {5}}}).customers, ElementsAre(1, 2, 3, 4));
  data.prizes = {kNoLimit, 4, 5, 6, 3, kNoLimit};
  EXPECT_EQ(FindUnserved(*Instance::Create(data), {{0, {5}}}).prizes, 9);
}

TEST(PlanValueTest, ComputesLoadsOfEachDimensionWithReloads) {
  InstanceData data = LineData();
  data.load_dimensions = 2;
  data.demands = {0, 0, 1, 10, 2, 20, 3, 30};
  data.pickups = {0, 0, 5, 0, 0, 0, 0, 0};
  data.vehicles[0].max_reloads = 1;
  const Solution solution = *MakeSolution(*Instance::Create(data), {{0, {2, 1, 0, 3}}});
  const Route& route = solution.routes[0];
  EXPECT_THAT(route.load, ElementsAre(6, 60));
  EXPECT_THAT(route.stops[0].load, ElementsAre(3, 30));
  EXPECT_THAT(route.stops[2].load, ElementsAre(5, 0));
  EXPECT_THAT(route.stops[3].load, ElementsAre(3, 30));
  EXPECT_THAT(route.stops[5].load, ElementsAre(0, 0));
  EXPECT_EQ(solution.cost, 40 + 60);
}

// Routes of 20 and 60 units.
TEST(PlanValueTest, PricesTheSpreadBetweenRoutes) {
  InstanceData data = LineData();
  data.balance = Balance{.measure = BalanceMeasure::kDistance, .max_spread = 39, .cost = 2};
  const Instance instance = *Instance::Create(data);
  const Plan plan = {{0, {1}}, {0, {}}, {0, {2, 3}}};
  const Solution solution = *MakeSolution(instance, plan);
  EXPECT_EQ(solution.split.balance, 80);
  EXPECT_EQ(solution.cost, 160);
  EXPECT_EQ(solution.spread, 40);
  EXPECT_THAT(RouteCosts(instance, solution), ElementsAre(20, 60)) << "the spread is of no route";
  EXPECT_FALSE(KeepsSpread(instance, plan));
  EXPECT_TRUE(KeepsSpread(instance, {{0, {1, 2, 3}}}));
  EXPECT_EQ(Value(data, {}).cost, 0);
}

TEST(PlanValueTest, CountsUnusedVehiclesOnRequest) {
  InstanceData data = LineData();
  data.vehicles[0].count = 2;
  data.balance = Balance{.measure = BalanceMeasure::kStops, .cost = 1, .all_vehicles = true};
  EXPECT_EQ(Value(data, {{0, {1, 2, 3}}}).cost, 63);
  EXPECT_EQ(Value(data, {{0, {1, 2}}, {0, {3}}}).cost, 101);
  EXPECT_EQ(Value(data, {}).cost, 0);
}

}  // namespace
}  // namespace vrp
