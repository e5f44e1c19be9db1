#include "core/problem/plan/solution.h"

#include "gtest/gtest.h"
#include "tests/testing/brute_force.h"
#include "tests/testing/instance_builder.h"
#include "tests/testing/random_plan.h"

namespace vrp {
namespace {

using test::AnInstance;
using test::OnALine;

TEST(SolutionTest, ComputesLoadsTimesAndCostOfEachRoute) {
  const Instance instance = OnALine().Demands({1, 2, 4}).Service(5).Build();
  const Solution solution = *MakeSolution(instance, {{0, {1, 3}}, {0, {}}, {0, {2}}});
  ASSERT_EQ(solution.routes.size(), 2u);
  const Route& route = solution.routes[0];
  ASSERT_EQ(route.stops.size(), 4u);
  EXPECT_EQ(route.load[0], 5);
  EXPECT_EQ(route.stops[0].load[0], 5);
  EXPECT_EQ(route.stops[1].load[0], 4);
  EXPECT_EQ(route.stops[3].load[0], 0);
  EXPECT_EQ(route.stops[1].arrival, 10);
  EXPECT_EQ(route.stops[1].departure, 15);
  EXPECT_EQ(route.stops[2].arrival, 35);
  EXPECT_EQ(route.distance, 60);
  EXPECT_EQ(route.duration, 70);
  EXPECT_EQ(solution.cost, 100);
  EXPECT_EQ(solution.duration, 115);
  EXPECT_TRUE(solution.unserved.empty());
}

TEST(SolutionTest, AddsBackhaulsAfterDeliveries) {
  const Instance instance = OnALine().Demands({3, 0, 2}).Backhauls({0, 4, 0}).Build();
  const Solution solution = *MakeSolution(instance, {{0, {1, 3, 2}}});
  const std::vector<Stop>& stops = solution.routes[0].stops;
  EXPECT_EQ(stops[0].load[0], 5);
  EXPECT_EQ(stops[2].load[0], 0);
  EXPECT_EQ(stops[3].load[0], 4);
  EXPECT_EQ(stops[4].load[0], 4);
}

TEST(SolutionTest, StartsWithoutWaitingAtTheFirstCustomer) {
  const Instance instance = OnALine().Windows({{100, 200}, {300, 400}, {0, 900}}, 1000).Build();
  const Route route = MakeSolution(instance, {{0, {1, 2, 3}}})->routes[0];
  EXPECT_EQ(route.stops[0].departure, 90);
  EXPECT_EQ(route.stops[1].start, 100);
  EXPECT_EQ(route.stops[2].arrival, 110);
  EXPECT_EQ(route.stops[2].start, 300);
  EXPECT_EQ(route.duration, 340 - 90);
}

TEST(SolutionTest, NeverStartsBeforeTheDepotOpens) {
  InstanceData data = OnALine().Windows({{0, 200}, {0, 400}, {0, 900}}, 1000).BuildData();
  data.windows[0].open = 50;
  const Route route = MakeSolution(*Instance::Create(data), {{0, {1}}})->routes[0];
  EXPECT_EQ(route.stops[0].departure, 50);
  EXPECT_EQ(route.stops[1].start, 60);
}

TEST(SolutionTest, EndsAnOpenRouteWithTheServiceOfItsLastCustomer) {
  const Instance instance = OnALine().OpenEnd().Service(5).Build();
  const Plan plan = {{0, {1, 2}}, {0, {3}}};
  const Solution solution = MakeSolution(instance, plan).value();
  ASSERT_EQ(solution.routes[0].stops.size(), 3u);
  EXPECT_EQ(solution.routes[0].stops.back().node, 2);
  EXPECT_EQ(solution.routes[0].distance, 20);
  EXPECT_EQ(solution.routes[0].duration, 30);
  EXPECT_EQ(solution.cost, 50);
  EXPECT_EQ(solution.cost, PlanCost(instance, plan));
}

TEST(SolutionTest, MinimisesWaitingIfTheDurationIsLimited) {
  const Instance instance =
      OnALine().Windows({{100, 200}, {300, 400}, {0, 900}}, 1000).MaxDuration(155).Build();
  const Route route = MakeSolution(instance, {{0, {1, 2, 3}}})->routes[0];
  EXPECT_EQ(route.stops[1].start, 200);  // as late as the first window allows
  EXPECT_EQ(route.stops[0].departure, 190);
  EXPECT_EQ(route.stops.back().arrival, 340);
  EXPECT_EQ(route.duration, 150);
}

TEST(SolutionTest, StartsAtZeroWithoutWindows) {
  EXPECT_EQ(MakeSolution(OnALine().Build(), {{0, {2}}})->routes[0].stops[0].departure, 0);
  const Instance tsp = OnALine().Kind(ProblemKind::kTsp).Build();
  EXPECT_EQ(MakeSolution(tsp, {{0, {3, 1, 2}}})->cost, 30 + 20 + 10 + 20);
}

TEST(SolutionTest, ListsCustomersThatNoRouteVisits) {
  const Solution solution = *MakeSolution(OnALine().Build(), {{0, {2}}});
  ASSERT_EQ(solution.unserved.size(), 2u);
  EXPECT_EQ(solution.unserved[0].customer, 1);
  EXPECT_EQ(solution.unserved[1].customer, 3);
}

TEST(SolutionTest, RefusesNumbersOutOfRange) {
  const Instance instance = OnALine().Build();
  for (const NodeIndex node : {-1, 0, 4}) {
    const absl::Status status = MakeSolution(instance, {{0, {1}}, {0, {2, node}}}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_NE(status.message().find("routes[1].customers[1]: got "), std::string::npos);
  }
  EXPECT_NE(MakeSolution(instance, {{1, {1}}}).status().message().find("routes[0].vehicle_type"),
            std::string::npos);
}

TEST(SolutionTest, CostsTheSameInReverse) {
  const Instance instance = AnInstance().WithCustomers(9).As(Metric::kDimacs).Build();
  Plan plan = test::RandomFeasiblePlan(instance, 4);
  const Cost cost = PlanCost(instance, plan);
  for (PlannedRoute& route : plan) std::reverse(route.customers.begin(), route.customers.end());
  EXPECT_EQ(PlanCost(instance, plan), cost);
}

}  // namespace
}  // namespace vrp
