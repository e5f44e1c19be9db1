#include "core/search/fewer_routes.h"

#include <gtest/gtest.h>

#include "core/problem/checker.h"
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
      WithFewerRoutes(AllAtOnePlace(), {{0, {1}}, {0, {2}}, {0, {3}}, {0, {4, 5}}, {0, {6}}});
  EXPECT_EQ(joined.size(), 2u);
  EXPECT_TRUE(CheckPlan(AllAtOnePlace(), joined).feasible);
}

TEST(FewerRoutesTest, LeavesRoutesThatAreCheaperApart) {
  const Instance instance = AnInstance().At({{0, 0}, {10, 0}, {-10, 0}, {0, 10}}).Build();
  const Plan apart = {{0, {1}}, {0, {3}}};
  InstanceData data = instance.data();
  data.vehicles.push_back({.id = "other", .capacity = 99});
  EXPECT_EQ(WithFewerRoutes(*Instance::Create(data), {{0, {1}}, {1, {3}}}).size(), 2u);
  data.vehicles.pop_back();
  data.vehicles[0].max_distance = 30;
  EXPECT_EQ(WithFewerRoutes(*Instance::Create(data), apart).size(), 2u);
}

TEST(FewerRoutesTest, ASearchPrefersFewerRoutesOfEqualCost) {
  SearchOptions options;
  options.max_iterations = 200;
  EXPECT_EQ(Search(AllAtOnePlace(), options)->plan.size(), 2u);
}

}  // namespace
}  // namespace vrp
