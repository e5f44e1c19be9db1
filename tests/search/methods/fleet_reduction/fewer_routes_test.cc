#include "core/search/methods/fleet_reduction/fewer_routes.h"

#include <gtest/gtest.h>

#include "core/problem/checker/checker.h"
#include "core/search/search.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using test::AnInstance;

// Customers 1 to 6 at the depot, where any number of routes costs nothing.
Instance AllAtOnePlace() {
  return AnInstance()
      .At(std::vector<Position>(7, {5, 5}))
      .Demands({1, 1, 1, 1, 1, 1})
      .Capacity(3)
      .Build();
}

TEST(FewerRoutesTest, JoinsRoutesThatCostNoMoreTogether) {
  const Plan joined =
      WithFewerRoutes(AllAtOnePlace(), {{0, {1}}, {0, {2}}, {0, {3}}, {0, {4, 5}}, {0, {6}}}, {});
  EXPECT_EQ(joined.size(), 2u);
  EXPECT_TRUE(CheckPlan(AllAtOnePlace(), joined).feasible);
}

TEST(FewerRoutesTest, LeavesTinyRoutesThatAreCheaperApart) {
  InstanceData data = AnInstance().WithCustomers(2).BuildData();
  data.positions.clear();
  data.distance_matrix = {0, 1, 1, 1, 0, 2.001, 1, 2.001, 0};
  for (double& distance : data.distance_matrix) distance *= 0x1p-40;
  EXPECT_EQ(WithFewerRoutes(*Instance::Create(data), {{0, {1}}, {0, {2}}}, {}).size(), 2u);
}

TEST(FewerRoutesTest, LeavesRoutesThatAreCheaperApart) {
  const Instance instance = AnInstance().At({{0, 0}, {10, 0}, {-10, 0}, {0, 10}}).Build();
  const Plan apart = {{0, {1}}, {0, {3}}};
  InstanceData data = instance.data();
  data.vehicles.push_back({.id = "other", .capacity = 99});
  EXPECT_EQ(WithFewerRoutes(*Instance::Create(data), {{0, {1}}, {1, {3}}}, {}).size(), 2u);
  data.vehicles.pop_back();
  data.vehicles[0].max_distance = 30;
  EXPECT_EQ(WithFewerRoutes(*Instance::Create(data), apart, {}).size(), 2u);
}

// Customer 2 closes before a vehicle can come there from customer 1.
TEST(FewerRoutesTest, TriesBothOrders) {
  const Instance instance =
      AnInstance().At({{5, 5}, {5, 5}, {5, 5}}).Service(10).Windows({{0, 50}, {0, 5}}, 100).Build();
  const Plan joined = WithFewerRoutes(instance, {{0, {1}}, {0, {2}}}, {});
  EXPECT_EQ(joined, (Plan{{0, {2, 1}}}));
}

TEST(FewerRoutesTest, GoesFromARouteToTheNextWhereEndsAreOpen) {
  InstanceData data = AnInstance().At({{0, 0}, {10, 0}, {-10, 0}}).OpenEnd().BuildData();
  EXPECT_EQ(WithFewerRoutes(*Instance::Create(data), {{0, {1}}, {0, {2}}}, {}).size(), 2u)
      << "20 from the one to the other, 10 from the depot";
  data.positions[2] = {20, 0};
  EXPECT_EQ(WithFewerRoutes(*Instance::Create(data), {{0, {1}}, {0, {2}}}, {}).size(), 1u);
}

TEST(FewerRoutesTest, LeavesThePlanAsItIsOnceItsTimeIsOver) {
  const Plan apart = {{0, {1}}, {0, {2}}};
  const StopCondition over(absl::InfinitePast(), nullptr);
  EXPECT_EQ(WithFewerRoutes(AllAtOnePlace(), apart, over), apart);
}

TEST(FewerRoutesTest, ASearchReportsFewerRoutesWhereTheyCount) {
  InstanceData data = AllAtOnePlace().data();
  data.objective = Objective::kVehiclesThenDistance;
  SearchOptions options;
  options.max_iterations = 0;
  options.initial = {{{0, {1}}, {0, {2}}, {0, {3}}, {0, {4}}, {0, {5}}, {0, {6}}}};
  Plan reported;
  const auto found =
      Search(*Instance::Create(data), options, [&](const Plan& plan, Cost) { reported = plan; });
  EXPECT_EQ(found->plan.size(), 2u);
  EXPECT_EQ(reported, found->plan);
}

TEST(FewerRoutesTest, ASearchPrefersFewerRoutesOfEqualCost) {
  SearchOptions options;
  options.max_iterations = 200;
  EXPECT_EQ(Search(AllAtOnePlace(), options)->plan.size(), 2u);
}

}  // namespace
}  // namespace vrp
