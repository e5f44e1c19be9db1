#include "core/search/route/route_store.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/stop.h"
#include "core/problem/checker/checker.h"
#include "core/search/model/fast_random.h"
#include "core/search/ruin_recreate/recreate.h"
#include "core/search/ruin_recreate/ruin.h"
#include "tests/testing/feature_instances.h"
#include "tests/testing/instance_builder.h"
#include "tests/testing/random_plan.h"

namespace vrp {
namespace {

using test::AnInstance;

test::InstanceBuilder Timed(uint64_t seed) {
  return AnInstance()
      .WithCustomers(40)
      .Seed(seed)
      .RandomDemands()
      .Capacity(40)
      .RandomWindows()
      .Service(2);
}

// With windows, and a cost of time where `seed` is even.
Instance TimedOrPaidByTime(uint64_t seed) {
  InstanceData data = Timed(seed).BuildData();
  if (seed % 2 == 0) {
    data.objective = Objective::kCost;
    for (VehicleType& vehicle : data.vehicles) vehicle.cost_per_time = 0.5;
  }
  return *Instance::Create(data);
}

void ExpectSameSegment(const TimeSegment& a, const TimeSegment& b) {
  EXPECT_NEAR(a.duration, b.duration, 1e-6);
  EXPECT_NEAR(a.earliest, b.earliest, 1e-6);
  if (std::isinf(a.latest)) {
    EXPECT_EQ(a.latest, b.latest);
  } else {
    EXPECT_NEAR(a.latest, b.latest, 1e-6);
  }
}

void ExpectPlaced(const RouteStore& routes, int32_t slot, int32_t position) {
  const SearchRoute& route = routes.route(slot);
  if (routes.problem().is_depot(route.nodes[position])) return;
  const VisitPlace& place = routes.PlaceOf(route.nodes[position]);
  EXPECT_EQ(place.route, slot);
  EXPECT_EQ(place.position, position);
  EXPECT_EQ(place.before, route.nodes[position - 1]);
  EXPECT_EQ(place.after, route.nodes[position + 1]);
  EXPECT_EQ(place.edge_before, route.edge[position - 1]);
  EXPECT_EQ(place.edge_after, route.edge[position]);
}

// Expects what changes visit by visit to equal what is measured anew.
void ExpectSameAsMeasured(const RouteStore& routes) {
  RouteStore fresh(routes.problem());
  double cost = 0;
  for (int32_t slot = 0; slot < routes.slots(); ++slot) {
    const SearchRoute& route = routes.route(slot);
    if (route.empty()) {
      EXPECT_EQ(routes.rooms()[slot], -Problem::kNever);
      continue;
    }
    const int32_t same_slot = fresh.EmptySlot();
    ASSERT_TRUE(fresh.SetRoute(same_slot, route.type, route.nodes));
    const SearchRoute& same = fresh.route(same_slot);
    cost += same.cost;
    EXPECT_EQ(route.edge, same.edge);
    EXPECT_EQ(route.times, same.times);
    EXPECT_EQ(route.stops, same.stops);
    EXPECT_NEAR(route.cost, same.cost, 1e-6);
    EXPECT_NEAR(route.distance, same.distance, 1e-6);
    EXPECT_NEAR(route.duration, same.duration, 1e-6);
    EXPECT_NEAR(route.travel, same.travel, 1e-6);
    ASSERT_EQ(route.load.size(), same.load.size());
    for (size_t k = 0; k < same.load.size(); ++k) EXPECT_NEAR(route.load[k], same.load[k], 1e-9);
    ASSERT_EQ(route.head.size(), same.head.size());
    for (size_t i = 0; i < same.head.size(); ++i) {
      ExpectSameSegment(route.head[i], same.head[i]);
      ExpectSameSegment(route.tail[i], same.tail[i]);
    }
    for (int32_t i = 1; i + 1 < route.size(); ++i) ExpectPlaced(routes, slot, i);
    if (routes.rooms()[slot] != fresh.rooms()[same_slot]) {
      EXPECT_NEAR(routes.rooms()[slot], fresh.rooms()[same_slot], 1e-9);
    }
  }
  EXPECT_EQ(routes.used(), fresh.used());
  double lost = 0;
  for (const int32_t unit : routes.absent()) {
    if (!routes.problem().unit(unit).required()) lost += routes.problem().unit(unit).prize;
    EXPECT_FALSE(routes.Serves(unit));
  }
  EXPECT_NEAR(routes.cost(), cost + lost, 1e-6 * (1 + cost + lost));
}

class RouteStoreTest : public testing::TestWithParam<uint64_t> {};

TEST_P(RouteStoreTest, KeepsItsDataRightThroughRuinAndRecreate) {
  const Instance instance = TimedOrPaidByTime(GetParam());
  const Problem problem = Problem::Create(instance, {});
  RouteStore routes(problem);
  routes.Load(test::RandomFeasiblePlan(instance, 5));
  FastRandom random(7);
  const StopCondition never;
  Ruin ruin(routes, random);
  Recreate recreate(routes, random, never);
  for (int i = 0; i < 100; ++i) {
    recreate.InsertSome(ruin.Remove(true), ruin.seed());
    ExpectSameAsMeasured(routes);
    ASSERT_TRUE(RoutesAreFeasible(CheckPlan(instance, routes.ToPlan())));
  }
}

TEST_P(RouteStoreTest, RollsBackToThePlanBefore) {
  const Instance instance = TimedOrPaidByTime(GetParam());
  const Problem problem = Problem::Create(instance, {});
  RouteStore routes(problem);
  routes.Load(test::RandomFeasiblePlan(instance, 5));
  const Plan before = routes.ToPlan();
  FastRandom random(7);
  const StopCondition never;
  Ruin ruin(routes, random);
  Recreate recreate(routes, random, never);
  for (int i = 0; i < 100; ++i) {
    routes.Begin();
    recreate.InsertSome(ruin.Remove(true), ruin.seed());
    routes.Rollback();
    ASSERT_EQ(routes.ToPlan(), before);
    ExpectSameAsMeasured(routes);
  }
}

INSTANTIATE_TEST_SUITE_P(WindowsAndCostsOfTime, RouteStoreTest, testing::Range<uint64_t>(1, 7));

TEST(RouteStoreFeatureTest, KeepsItsDataRightWithWhateverFeatures) {
  int checked = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    const Instance instance = test::MakeFeatureInstance(
        {.customers = 20, .seed = seed, .features = test::DrawFeatures(seed)});
    if (!instance.frozen().empty()) continue;
    const Problem problem = Problem::Create(instance, {});
    RouteStore routes(problem);
    FastRandom random(seed);
    const StopCondition never;
    Ruin ruin(routes, random);
    Recreate recreate(routes, random, never);
    recreate.InsertAbsent(1);
    for (int i = 0; i < 20; ++i) {
      routes.Begin();
      recreate.InsertSome(ruin.Remove(true), ruin.seed());
      if (i % 2 == 0) routes.Rollback();
      routes.Commit();
      ExpectSameAsMeasured(routes);
      ++checked;
    }
  }
  EXPECT_GT(checked, 500);
}

TEST(RouteStoreTimesTest, AreKeptWhereNothingIsEverLate) {
  InstanceData data = AnInstance().WithCustomers(4).BuildData();
  data.kind = ProblemKind::kVrptw;
  data.windows = {{0, kNoLimit}, {0, kNoLimit}, {0, 1'000}, {5, kNoLimit}, {0, kNoLimit}};
  const Instance instance = *Instance::Create(data);
  const Problem problem = Problem::Create(instance, {});
  RouteStore routes(problem);
  routes.SetAbsent({});
  const int32_t slot = routes.EmptySlot();
  ASSERT_TRUE(routes.SetRoute(slot, 0, std::vector<NodeIndex>{0, 1, 2, 3, 0}));
  EXPECT_LE(routes.route(slot).times[1].latest, 1'000);
  ASSERT_TRUE(routes.Insert(slot, 3, 4));
  ExpectSameAsMeasured(routes);
  ASSERT_TRUE(routes.Remove(slot, 2, 1));
  EXPECT_EQ(routes.RouteOf(2), -1);
}

TEST(RouteStoreLoadTest, TakesOverOnlyWhatIsFeasible) {
  const Instance instance = AnInstance().WithCustomers(6).Capacity(2).Vehicles(3).Build();
  const Problem problem = Problem::Create(instance, {});
  RouteStore routes(problem);
  routes.Load({{0, {1, 1, 99, -4, 2, 3}}, {0, {4}}, {0, {}}, {0, {5}}, {0, {6}}});
  const CheckReport report = CheckPlan(instance, routes.ToPlan());
  for (const Violation& violation : report.violations) {
    EXPECT_EQ(violation.kind, ViolationKind::kMissingCustomer) << violation.message;
  }
  EXPECT_EQ(routes.used(), 3);
}

TEST(RouteStoreRemovalTest, EmptiesTheRouteWhenTheRestWouldBeLate) {
  // The direct way 0 -> 2 takes longer than that over 1.
  InstanceData data = AnInstance().WithCustomers(2).BuildData();
  data.kind = ProblemKind::kVrptw;
  data.positions.clear();
  data.distance_matrix = {0, 1, 50, 1, 0, 1, 1, 1, 0};
  data.windows = {{0, 100}, {0, 10}, {0, 10}};
  const Instance instance = *Instance::Create(data);
  const Problem problem = Problem::Create(instance, {});
  RouteStore routes(problem);
  ASSERT_TRUE(routes.SetRoute(routes.EmptySlot(), 0, std::vector<NodeIndex>{0, 1, 2, 0}));
  EXPECT_FALSE(routes.Remove(0, 1, 1));
  EXPECT_TRUE(routes.route(0).empty());
  EXPECT_EQ(routes.RouteOf(2), -1);
}

}  // namespace
}  // namespace vrp
