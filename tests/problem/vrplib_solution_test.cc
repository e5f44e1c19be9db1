// Tests readers and writers of `.sol` files and TSPLIB's tours.
#include "core/problem/formats/vrplib/vrplib_solution.h"

#include <string>

#include "core/problem/plan/plan_value.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/problem/vrplib_texts.h"
#include "tests/testing/instance_builder.h"
#include "tests/testing/random_plan.h"

namespace vrp {
namespace {

using test::AnInstance;
using test::CvrpText;
using test::kDemandSection;
using test::kTriangle;
using test::ReadDialect;
using test::TspText;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(VrplibSolution, ReadsBackThePlanAndItsCost) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const Instance instance = AnInstance().WithCustomers(15).Capacity(4).Seed(seed).Build();
    const Plan plan = test::RandomFeasiblePlan(instance, seed);
    const SolutionFile file =
        *ParseVrplibSolution(WriteVrplibSolution(instance, plan), "x.sol", instance);
    EXPECT_EQ(file.plan, plan);
    EXPECT_EQ(file.cost, PlanCost(instance, plan));
  }
}

TEST(VrplibSolution, AssignsTheKthRouteToTheKthVehicle) {
  InstanceData data = AnInstance().WithCustomers(4).BuildData();
  data.num_depots = 2;
  data.demands[1] = 0;
  data.vehicles = {{.count = 2, .depot = 0}, {.count = 2, .depot = 1}};
  const Instance instance = *Instance::Create(data);
  const auto file =
      ParseVrplibSolution("Route #1: 2\nRoute #2:\nRoute #3: 4 3\nCost: 12.5\n", "x", instance);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->plan[2].vehicle_type, 1);
  EXPECT_EQ(file->cost, 12.5);
  const Plan plan = {{1, {4, 3}}, {0, {2}}};
  const SolutionFile reread =
      *ParseVrplibSolution(WriteVrplibSolution(instance, plan), "x", instance);
  EXPECT_THAT(reread.plan, ElementsAre(plan[1], PlannedRoute{0, {}}, plan[0]));
}

TEST(VrplibSolution, WritesTypesThatThePositionDoesNotImply) {
  InstanceData data = AnInstance().WithCustomers(3).BuildData();
  data.vehicles = {{.count = 0, .capacity = 10}, {.count = 2, .capacity = 20}};
  const Instance instance = *Instance::Create(data);
  const Plan plan = {{0, {1}}, {1, {3, 2}}};
  const std::string text = WriteVrplibSolution(instance, plan);
  EXPECT_THAT(text, HasSubstr("Route #1: 1\nRoute #2 (type 1): 3 2\n"));
  EXPECT_EQ(ParseVrplibSolution(text, "s.sol", instance)->plan, plan);
  EXPECT_THAT(ParseVrplibSolution("Route #1 (type 2): 1\n", "s.sol", instance).status().message(),
              HasSubstr("got \"(type 2)\", wanted `(type 0)` to `(type 1)`"));
}

TEST(VrplibSolution, ReadsToursFromTheFirstNodeOn) {
  const Instance tsp = ReadDialect(TspText("EUC_2D", kTriangle));
  const auto file =
      ParseVrplibSolution("TYPE : TOUR\nDIMENSION : 3\nTOUR_SECTION\n3\n1\n2\n-1\nEOF\n", "t", tsp);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_THAT(file->plan[0].customers, ElementsAre(1, 2));
  EXPECT_FALSE(ParseVrplibSolution("TOUR_SECTION\n1\n2\n4\n-1\n", "t", tsp).ok());
  EXPECT_FALSE(ParseVrplibSolution("TOUR_SECTION\n3\n2\n-1\n", "t", tsp).ok());
  // LKH writes a further depot node for each further vehicle.
  const Instance cvrp = ReadDialect(CvrpText("CVRP", "CAPACITY : 9\n", kDemandSection));
  const auto routes = ParseVrplibSolution("TOUR_SECTION\n1\n2\n5\n3\n4\n-1\n", "t", cvrp);
  ASSERT_TRUE(routes.ok()) << routes.status();
  ASSERT_EQ(routes->plan.size(), 2u);
  EXPECT_THAT(routes->plan[1].customers, ElementsAre(2, 3));
}

TEST(VrplibSolution, NamesTheAcceptedNodesOfATour) {
  const Instance tsp = ReadDialect(TspText("EUC_2D", kTriangle));
  EXPECT_THAT(ParseVrplibSolution("TOUR_SECTION\n1\n4\n-1\n", "t", tsp).status().message(),
              HasSubstr("t:3: TOUR_SECTION: got node 4, wanted 1 to 3"));
  const Instance cvrp = ReadDialect(CvrpText("CVRP", "CAPACITY : 9\n", kDemandSection));
  EXPECT_TRUE(ParseVrplibSolution("TOUR_SECTION\n1\n200000\n-1\n", "t", cvrp).ok());
  EXPECT_THAT(
      ParseVrplibSolution("TOUR_SECTION\n1\n200001\n-1\n", "t", cvrp).status().message(),
      HasSubstr("got node 200001, wanted 1 to 200000; numbers above 4 represent the depot"));
}

TEST(VrplibSolution, SkipsHeadingsOfPublishedSolutions) {
  const Instance cvrp = ReadDialect(CvrpText("CVRP", "CAPACITY : 9\n", kDemandSection));
  const auto file = ParseVrplibSolution(
      "Instance name :\tc101\nAuthors :\tA. and B.\nDate :\t1996\nReference :\tpage 4\nSolution\n"
      "Route 1 : 1 3\nRoute 2 : 2\nCost: 24\nOptimal: True\n",
      "s", cvrp);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->plan.size(), 2u);
  EXPECT_EQ(file->cost, 24);
  EXPECT_FALSE(ParseVrplibSolution("Ruote 1 : 1 3\nRoute 1 : 2\n", "s", cvrp).ok());
}

}  // namespace
}  // namespace vrp
