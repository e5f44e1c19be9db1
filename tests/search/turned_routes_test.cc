#include "core/search/turned_routes.h"

#include <gtest/gtest.h>

#include <utility>

#include "core/base/random.h"
#include "core/problem/checker/checker.h"
#include "core/problem/checker/freeze.h"
#include "core/search/search.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using test::AnInstance;

// Customers on a circle through the depot, where ways against the clock cost 1 and others 10.
InstanceData OneWay() {
  InstanceData data = AnInstance().WithCustomers(4).Capacity(10).BuildData();
  data.positions.clear();
  data.distance_matrix.assign(25, 10);
  for (size_t i = 0; i < 5; ++i) {
    data.distance_matrix[i * 5 + i] = 0;
    data.distance_matrix[i * 5 + (i + 1) % 5] = 1;
  }
  return data;
}

TEST(TurnedRoutesTest, TurnsRoutesThatAreCheaperBackwards) {
  const Instance instance = *Instance::Create(OneWay());
  const Plan turned = WithTurnedRoutes(instance, {{0, {4, 3, 2, 1}}}, {});
  EXPECT_EQ(turned, Plan({{0, {1, 2, 3, 4}}}));
  EXPECT_TRUE(CheckPlan(instance, turned).feasible);
}

TEST(TurnedRoutesTest, LeavesCheaperRoutesAsTheyAre) {
  const Instance instance = *Instance::Create(OneWay());
  const Plan plan = {{0, {1, 2}}, {0, {3, 4}}};
  EXPECT_EQ(WithTurnedRoutes(instance, plan, {}), plan);
}

TEST(TurnedRoutesTest, TurnsNoRouteIntoOneThatIsLate) {
  InstanceData data = OneWay();
  data.kind = ProblemKind::kVrptw;
  data.duration_matrix = data.distance_matrix;
  data.windows.assign(5, TimeWindow{0, 100});
  data.windows[4] = {0, 10};
  data.windows[1] = {0, 40};
  const Instance in_time = *Instance::Create(data);
  EXPECT_EQ(WithTurnedRoutes(in_time, {{0, {4, 3, 2, 1}}}, {}), Plan({{0, {1, 2, 3, 4}}}));
  data.windows[1] = {30, 40};
  const Instance late = *Instance::Create(data);
  ASSERT_TRUE(CheckPlan(late, {{0, {4, 3, 2, 1}}}).feasible);
  EXPECT_EQ(WithTurnedRoutes(late, {{0, {4, 3, 2, 1}}}, {}), Plan({{0, {4, 3, 2, 1}}}));
}

TEST(TurnedRoutesTest, LeavesRoutesWithFrozenStopsAsTheyAre) {
  const auto instance = Freeze(*Instance::Create(OneWay()), {{.vehicle_type = 0, .visits = {4}}});
  ASSERT_TRUE(instance.ok()) << instance.status();
  const Plan plan = {{0, {4, 3, 2, 1}}};
  EXPECT_EQ(WithTurnedRoutes(*instance, plan, {}), plan);
}

TEST(TurnedRoutesTest, TurnsRoutesBesideThoseWithFrozenStops) {
  InstanceData data = OneWay();
  data.vehicles.push_back(data.vehicles.front());
  const auto instance =
      Freeze(*Instance::Create(std::move(data)), {{.vehicle_type = 0, .visits = {4}}});
  ASSERT_TRUE(instance.ok()) << instance.status();
  EXPECT_EQ(WithTurnedRoutes(*instance, {{0, {4}}, {1, {3, 2, 1}}}, {}),
            Plan({{0, {4}}, {1, {1, 2, 3}}}));
}

TEST(TurnedRoutesTest, SearchesLeaveNoRouteThatIsCheaperBackwards) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    InstanceData data = AnInstance().WithCustomers(12).Capacity(4).BuildData();
    data.positions.clear();
    CounterRandom random(seed);
    data.distance_matrix.resize(size_t{13} * 13);
    for (size_t i = 0; i < data.distance_matrix.size(); ++i) {
      data.distance_matrix[i] = i % 14 == 0 ? 0 : 1 + random.UniformDouble();
    }
    const Instance instance = *Instance::Create(std::move(data));
    SearchOptions options;
    options.max_iterations = 1;
    const Plan plan = Search(instance, options).value().plan;
    EXPECT_EQ(WithTurnedRoutes(instance, plan, {}), plan) << "seed " << seed;
  }
}

}  // namespace
}  // namespace vrp
