#include "core/search/route/plain_route_store.h"

#include <gtest/gtest.h>

#include "core/problem/checker/checker.h"
#include "core/search/model/fast_random.h"
#include "core/search/moves/local_search.h"
#include "core/search/ruin_recreate/plain_recreate.h"
#include "core/search/ruin_recreate/plain_ruin.h"
#include "tests/testing/instance_builder.h"
#include "tests/testing/random_plan.h"

namespace vrp {
namespace {

using test::AnInstance;
using test::RandomFeasiblePlan;

test::InstanceBuilder ATimedInstance(uint64_t seed) {
  return AnInstance()
      .WithCustomers(40)
      .Seed(seed)
      .RandomDemands()
      .Capacity(40)
      .RandomWindows()
      .Service(2);
}

Instance Timed(uint64_t seed) { return ATimedInstance(seed).Build(); }

// Drives take next to no time, so that windows and service alone say who is late.
Instance TimedWithShortWays(uint64_t seed) {
  InstanceData data = ATimedInstance(seed).BuildData();
  for (Position& position : data.positions) position = {position.x / 1'000, position.y / 1'000};
  return *Instance::Create(data);
}

void ExpectPlaced(const PlainRouteStore& routes, const PlainRoute& route, int32_t position) {
  const VisitPlace& place = routes.PlaceOf(route.nodes[position]);
  EXPECT_EQ(&routes.route(place.route), &route);
  EXPECT_EQ(place.position, position);
  EXPECT_EQ(place.before, route.nodes[position - 1]);
  EXPECT_EQ(place.after, route.nodes[position + 1]);
  EXPECT_EQ(place.edge_before, route.edge[position - 1]);
  EXPECT_EQ(place.edge_after, route.edge[position]);
}

// Checks that incremental data equal those of a set loaded from the plan.
void ExpectSameAsReloaded(const PlainRouteStore& routes) {
  PlainRouteStore fresh(routes.problem());
  fresh.Load(routes.ToPlan());
  EXPECT_NEAR(routes.distance(), fresh.distance(), 1e-6);
  EXPECT_EQ(routes.routes_used(), fresh.routes_used());
  for (const PlainRoute& route : routes.routes()) {
    if (route.empty()) continue;
    const PlainRoute& same = fresh.route(fresh.RouteOf(route.nodes[1]));
    ASSERT_EQ(route.nodes, same.nodes);
    EXPECT_NEAR(route.load, same.load, 1e-9);
    EXPECT_EQ(route.times, same.times);
    EXPECT_EQ(route.edge, same.edge);
    for (int32_t i = 1; i <= route.customers(); ++i) ExpectPlaced(routes, route, i);
  }
}

TEST(PlainRouteStoreTest, KeepsItsDataRightThroughRuinAndRecreate) {
  const Instance instance = Timed(3);
  const Problem problem = Problem::Create(instance, {});
  PlainRouteStore routes(problem);
  routes.Load(RandomFeasiblePlan(instance, 5));
  FastRandom random(7);
  PlainRuin ruin(routes, random);
  PlainRecreate recreate(routes, random, 0.01);
  for (int i = 0; i < 200; ++i) {
    recreate.InsertAll(ruin.Remove());
    ExpectSameAsReloaded(routes);
    ASSERT_TRUE(CheckPlan(instance, routes.ToPlan()).feasible);
  }
}

TEST(PlainRouteStoreTest, RollsBackToThePlanBefore) {
  const Instance instance = Timed(4);
  const Problem problem = Problem::Create(instance, {});
  PlainRouteStore routes(problem);
  routes.Load(RandomFeasiblePlan(instance, 5));
  const Plan before = routes.ToPlan();
  FastRandom random(7);
  PlainRuin ruin(routes, random);
  PlainRecreate recreate(routes, random, 0.01);
  for (int i = 0; i < 100; ++i) {
    routes.Begin();
    recreate.InsertAll(ruin.Remove());
    routes.Rollback();
    ASSERT_EQ(routes.ToPlan(), before);
    ExpectSameAsReloaded(routes);
  }
}

TEST(PlainRouteStoreTest, KeepsTimesWhereNothingIsEverLate) {
  InstanceData data = AnInstance().WithCustomers(4).BuildData();
  data.kind = ProblemKind::kVrptw;
  data.windows = {{0, kNoLimit}, {0, kNoLimit}, {0, 1'000}, {5, kNoLimit}, {0, kNoLimit}};
  const Instance instance = *Instance::Create(data);
  const Problem problem = Problem::Create(instance, {});
  PlainRouteStore routes(problem);
  const int32_t route = routes.EmptyRoute();
  routes.SetRoute(route, std::vector<NodeIndex>{0, 1, 2, 3, 0});
  EXPECT_LE(routes.route(route).times[1].latest, 1'000);
  routes.Insert(4, {.route = route, .after = 3, .cost = 0});
  ExpectSameAsReloaded(routes);
  routes.Remove(route, 2, 1);
  ExpectSameAsReloaded(routes);
}

PlainInsertionPlace CheapestByTrying(const PlainRouteStore& routes, NodeIndex customer) {
  const Problem& problem = routes.problem();
  PlainInsertionPlace best;
  best.cost = problem.Distance(0, customer) + problem.Distance(customer, 0);
  for (int32_t r = 0; r < std::ssize(routes.routes()); ++r) {
    for (int32_t after = 0; after <= routes.route(r).customers(); ++after) {
      std::vector<NodeIndex> nodes = routes.route(r).nodes;
      const double before = problem.SequenceDistance(nodes);
      nodes.insert(nodes.begin() + after + 1, customer);
      const double cost = problem.SequenceDistance(nodes) - before;
      if (nodes.size() > 3 && cost < best.cost && problem.SequenceFeasible(nodes)) {
        best = {.route = r, .after = after, .cost = cost};
      }
    }
  }
  return best;
}

TEST(PlainRecreateTest, InsertsAtTheCheapestPlaceThatIsInTime) {
  int beside_others = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const Instance instance = seed % 2 == 0 ? Timed(seed) : TimedWithShortWays(seed);
    const Problem problem = Problem::Create(instance, {});
    PlainRouteStore routes(problem);
    routes.Load(RandomFeasiblePlan(instance, seed));
    FastRandom random(seed);
    for (NodeIndex customer = 1; customer < problem.size(); ++customer) {
      if (routes.RouteOf(customer) < 0) continue;
      routes.Remove(routes.RouteOf(customer), routes.PositionOf(customer), 1);
      const PlainInsertionPlace cheapest = CheapestByTrying(routes, customer);
      const double before = routes.distance();
      PlainRecreate(routes, random, 0).InsertAll({customer});
      EXPECT_NEAR(routes.distance() - before, cheapest.cost, 1e-6) << "customer " << customer;
      beside_others += cheapest.found();
    }
  }
  EXPECT_GT(beside_others, 200);
}

TEST(PlainRouteStoreTest, TakesOverOnlyWhatIsFeasible) {
  const Instance instance = AnInstance().WithCustomers(6).Capacity(2).Vehicles(3).Build();
  const Problem problem = Problem::Create(instance, {});
  PlainRouteStore routes(problem);
  routes.Load({{0, {1, 1, 99, -4, 2, 3}}, {0, {4}}, {0, {}}, {0, {5}}, {0, {6}}});
  const CheckReport report = CheckPlan(instance, routes.ToPlan());
  for (const Violation& violation : report.violations) {
    EXPECT_EQ(violation.kind, ViolationKind::kMissingCustomer) << violation.message;
  }
  EXPECT_EQ(routes.routes_used(), 3);
  EXPECT_EQ(routes.absent(), (std::vector<NodeIndex>{3, 6}));
}

TEST(PlainRouteStoreTest, RemovalTakesOutTheWholeRouteWhenTheRestWouldBeLate) {
  // The direct way 0 -> 2 takes longer than that over 1.
  InstanceData data = AnInstance().WithCustomers(2).BuildData();
  data.kind = ProblemKind::kVrptw;
  data.positions.clear();
  data.distance_matrix = {0, 1, 50, 1, 0, 1, 1, 1, 0};
  data.windows = {{0, 100}, {0, 10}, {0, 10}};
  const Instance instance = *Instance::Create(data);
  const Problem problem = Problem::Create(instance, {});
  PlainRouteStore routes(problem);
  routes.SetRoute(routes.EmptyRoute(), std::vector<NodeIndex>{0, 1, 2, 0});
  EXPECT_TRUE(routes.RouteInTime(0));
  routes.Remove(0, 1, 1);
  EXPECT_FALSE(routes.RouteInTime(0));
}

class DescendTest : public testing::TestWithParam<int> {
 protected:
  static Instance Make(int variant, uint64_t seed) {
    auto builder = AnInstance().WithCustomers(50).Seed(seed).RandomDemands().Capacity(30);
    if (variant == 1) return builder.ExplicitMatrix(0.5).Build();
    if (variant == 2) return builder.RandomWindows().Service(1).Build();
    if (variant == 3) return builder.As(Metric::kRounded).Build();
    return builder.Build();
  }
};

TEST_P(DescendTest, ShortensPlansAndKeepsThemFeasible) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    const Instance instance = Make(GetParam(), seed);
    const Problem problem = Problem::Create(instance, {});
    PlainRouteStore routes(problem);
    routes.Load(RandomFeasiblePlan(instance, seed));
    const double before = routes.distance();
    FastRandom random(seed);
    Descend(routes, random, {});
    const CheckReport report = CheckPlan(instance, routes.ToPlan());
    ASSERT_TRUE(report.feasible) << report.violations.front().message;
    EXPECT_LT(routes.distance(), 0.7 * before);
    EXPECT_NEAR(report.cost, routes.distance(), 1e-6);
    ExpectSameAsReloaded(routes);
  }
}

INSTANTIATE_TEST_SUITE_P(ExactAsymmetricTimedRounded, DescendTest, testing::Range(0, 4));

}  // namespace
}  // namespace vrp
