// Exchanges of tails: what they add is what they said, and no rule is broken.
#include "core/search/moves/tail_exchange.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/problem/checker/checker.h"
#include "core/problem/checker/freeze.h"
#include "core/problem/plan/plan_value.h"
#include "core/search/moves/tail_swap_evaluator.h"
#include "core/search/ruin_recreate/recreate.h"
#include "core/search/search.h"
#include "tests/testing/feature_instances.h"

namespace vrp {
namespace {

constexpr uint64_t kSeeds = 100;

// Random features; every third instance has a plan's first visits frozen.
Instance DrawInstance(uint64_t seed) {
  const Instance free = test::MakeFeatureInstance(
      {.customers = 40,
       .seed = seed,
       .features = test::DrawFeatures(seed),
       .objective = seed % 2 == 0 ? Objective::kDuration : Objective::kCost});
  if (seed % 3 != 0) return free;
  SearchOptions options;
  options.max_iterations = 0;
  const Plan plan = Search(free, options)->plan;
  std::vector<FrozenRoute> frozen;
  for (int32_t r = 0; r < std::ssize(plan); r += 2) {
    const NodeIndex first = plan[r].customers.front();
    frozen.push_back({.route = r, .vehicle_type = plan[r].vehicle_type, .visits = {first}});
  }
  const auto instance = Freeze(free, frozen);
  return instance.ok() ? *instance : free;  // a beginning alone may wait too long for breaks
}

struct RandomPlan {
  explicit RandomPlan(uint64_t seed)
      : instance(DrawInstance(seed)), problem(Problem::Create(instance, {})), random(seed) {
    Recreate(routes, random, never).InsertAbsent(1);
  }

  const Instance instance;
  const Problem problem;
  FastRandom random;
  const StopCondition never;
  RouteStore routes{problem};
};

// Any two cuts, the second now and then of an unused vehicle.
TailSwap DrawSwap(RandomPlan& plan, TailSwapEvaluator& tails) {
  const auto draw = [&] {
    RouteCut cut;
    const int32_t slot = plan.random.Below(plan.routes.slots());
    if (plan.routes.route(slot).empty()) return cut;
    cut.slot = slot;
    cut.kept = 1 + plan.random.Below(plan.routes.route(slot).size() - 1);
    return cut;
  };
  TailSwap swap = {.own = draw(), .other = draw()};
  const auto types = static_cast<int32_t>(plan.problem.vehicles().size());
  if (swap.own.slot == swap.other.slot) swap.other = {};
  if (swap.other.slot < 0 && !tails.TakeUnused(plan.random.Below(types))) swap.own = {};
  return swap;
}

TEST(TailSwapTest, AddWhatTheyAreSaidToAndNoLessThanTheirBound) {
  int32_t swaps = 0;
  int32_t opened = 0;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    RandomPlan plan(seed);
    TailSwapEvaluator tails(plan.routes);
    for (int32_t i = 0; i < 400; ++i) {
      TailSwap swap = DrawSwap(plan, tails);
      if (swap.own.slot < 0 || swap.own.kept == 1) continue;
      if (!tails.MayCut(swap.own) || !tails.MayCut(swap.other)) continue;
      swap.swaps_vehicles = tails.MaySwapVehicles(swap) && i % 2 == 0;
      const double added = tails.Added(swap, Problem::kNever);
      if (added == Problem::kNever) continue;
      ASSERT_LE(tails.LeastAdded(swap), added + 1e-6) << plan.instance.name();
      const double before = plan.routes.cost();
      const int32_t used_then = plan.routes.used() + tails.RoutesAdded(swap);
      if (!tails.Apply(swap)) continue;
      ++swaps;
      opened += swap.other.slot < 0;
      ASSERT_NEAR(plan.routes.cost() - before, added, 1e-6) << plan.instance.name();
      ASSERT_TRUE(RoutesAreFeasible(CheckPlan(plan.instance, plan.routes.ToPlan())))
          << plan.instance.name();
      ASSERT_EQ(plan.routes.used(), used_then);
    }
  }
  EXPECT_GT(swaps, 1000);
  EXPECT_GT(opened, 100);
}

TEST(TailSwapTest, CutNoShipment) {
  const Instance instance =
      test::MakeFeatureInstance({.customers = 30, .features = {Feature::kShipments}});
  const Problem problem = Problem::Create(instance, {});
  RouteStore routes(problem);
  FastRandom random(1);
  const StopCondition never;
  Recreate(routes, random, never).InsertAbsent(1);
  const TailSwapEvaluator tails(routes);
  int32_t refused = 0;
  for (NodeIndex node = problem.depots(); node < problem.size(); ++node) {
    const Unit& unit = problem.unit(problem.UnitOf(node));
    if (unit.kind != Unit::Kind::kShipment || routes.RouteOf(node) < 0) continue;
    const auto ends = problem.NodesOf(unit);
    for (int32_t kept = routes.PositionOf(ends[0]) + 1; kept <= routes.PositionOf(ends[1]);
         ++kept) {
      ++refused;
      ASSERT_FALSE(tails.MayCut({.slot = routes.RouteOf(node), .kept = kept}));
    }
  }
  EXPECT_GT(refused, 10);
}

// Two rows of customers along x, a depot with one vehicle at the begin of each.
constexpr int32_t kRow = 8;
constexpr double kTwoRoutes = 2 * (10 + kRow - 1 + kRow + 9);  // along a row each

Instance TwoRows() {
  InstanceData data;
  data.num_depots = 2;
  data.positions = {{-10, 0}, {-10, 100}};
  for (const double y : {0.0, 100.0}) {
    for (int32_t x = 0; x < kRow; ++x) data.positions.push_back({static_cast<double>(x), y});
  }
  data.demands.assign(data.positions.size(), 1);
  data.demands[0] = data.demands[1] = 0;
  for (const NodeIndex depot : {0, 1}) {
    VehicleType& vehicle = data.vehicles.emplace_back();
    vehicle.count = 1;
    vehicle.capacity = kRow;
    vehicle.depot = depot;
  }
  return *Instance::Create(std::move(data));
}

// Each route goes along the half of one row and of the other one from there; the first vehicle
// begins in its own row, or in the other one.
Plan Crossed(bool begins_in_own_row) {
  Plan plan = {{.vehicle_type = 0}, {.vehicle_type = 1}};
  const int32_t own = begins_in_own_row ? 0 : 1;
  for (int32_t x = 0; x < kRow; ++x) {
    const int32_t first = x < kRow / 2 ? own : 1 - own;
    plan[0].customers.push_back(2 + first * kRow + x);
    plan[1].customers.push_back(2 + (1 - first) * kRow + x);
  }
  return plan;
}

class CrossedTest : public testing::TestWithParam<bool> {
 protected:
  CrossedTest() { routes.Load(Crossed(GetParam())); }

  const Instance instance = TwoRows();
  const Problem problem = Problem::Create(instance, {});
  RouteStore routes{problem};
};

TEST_P(CrossedTest, RoutesAreUncrossedWithTheVehiclesOfTheirHeadsOrTails) {
  TailSwapEvaluator tails(routes);
  constexpr RouteCut kMiddle = {.slot = 0, .kept = 1 + kRow / 2};
  const TailSwap swap = {
      .own = kMiddle, .other = {.slot = 1, .kept = kMiddle.kept}, .swaps_vehicles = !GetParam()};
  const double before = routes.cost();
  EXPECT_NEAR(tails.LeastAdded(swap), kTwoRoutes - before, 1e-9);
  EXPECT_NEAR(tails.Added(swap, 0), kTwoRoutes - before, 1e-9);
  EXPECT_EQ(tails.Added(swap, kTwoRoutes - before - 1), Problem::kNever);
  ASSERT_TRUE(tails.Apply(swap));
  EXPECT_NEAR(routes.cost(), kTwoRoutes, 1e-9);
  EXPECT_TRUE(CheckPlan(instance, routes.ToPlan()).feasible);
}

TEST_P(CrossedTest, RoutesAreUncrossedAtOnce) {
  FastRandom random(5);
  TailExchange exchange(routes, random);
  int32_t changes = 0;
  for (int32_t i = 0; i < 5000; ++i) changes += exchange.Run(0, 0);
  EXPECT_EQ(changes, 1);
  for (const PlannedRoute& route : routes.ToPlan()) {
    EXPECT_EQ(route.customers.size(), kRow);
    EXPECT_TRUE(std::is_sorted(route.customers.begin(), route.customers.end()));
    EXPECT_EQ(route.customers.back() - route.customers.front(), kRow - 1);
  }
}

INSTANTIATE_TEST_SUITE_P(FromTheOwnRowAndTheOther, CrossedTest, testing::Bool());

// The cheapest plan with vehicles that have room for both rows, from one route along both or from a
// route along each, and its routes.
std::pair<double, int32_t> ExchangeAll(bool from_one, double route_weight) {
  InstanceData data = TwoRows().data();
  for (VehicleType& vehicle : data.vehicles) vehicle.capacity = 2 * kRow;
  const Instance instance = *Instance::Create(std::move(data));
  const Problem problem = Problem::Create(instance, {});
  Plan plan = {{.vehicle_type = 0}, {.vehicle_type = 1}};
  for (int32_t x = 0; x < kRow; ++x) plan[0].customers.push_back(2 + x);
  for (int32_t x = kRow; x-- > 0;) plan[from_one ? 0 : 1].customers.push_back(2 + kRow + x);
  if (from_one) plan.pop_back();
  RouteStore routes(problem);
  routes.Load(plan);
  FastRandom random(5);
  TailExchange exchange(routes, random);
  for (int32_t i = 0; i < 5000; ++i) exchange.Run(0, route_weight);
  EXPECT_TRUE(CheckPlan(instance, routes.ToPlan()).feasible);
  return {routes.cost(), routes.used()};
}

TEST(TailExchangeTest, CutsARouteInTwoForAnUnusedVehicle) {
  const auto [cost, used] = ExchangeAll(true, 0);
  EXPECT_EQ(used, 2);
  EXPECT_NEAR(cost, kTwoRoutes, 1e-9);
  EXPECT_EQ(ExchangeAll(false, 0).second, 2);
}

TEST(TailExchangeTest, JoinsRoutesWhereTheyWeighMoreThanTheyCost) {
  const auto [cost, used] = ExchangeAll(false, 1e6);
  EXPECT_EQ(used, 1);
  EXPECT_GT(cost, kTwoRoutes);
  EXPECT_EQ(ExchangeAll(true, 1e6).second, 1);
}

TEST(TailExchangeTest, HotExchangesKeepEveryRuleAndTheCostRight) {
  int32_t changes = 0;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    RandomPlan plan(seed);
    TailExchange exchange(plan.routes, plan.random);
    const std::vector<int32_t> absent = plan.routes.absent();
    const double others = PlanCost(plan.instance, plan.routes.ToPlan()) - plan.routes.cost();
    for (int32_t i = 0; i < 200; ++i) {
      if (!exchange.Run(50, 0)) continue;
      ++changes;
      const Plan now = plan.routes.ToPlan();
      ASSERT_TRUE(RoutesAreFeasible(CheckPlan(plan.instance, now))) << plan.instance.name();
      ASSERT_NEAR(PlanCost(plan.instance, now), plan.routes.cost() + others, 1e-6);
      ASSERT_EQ(plan.routes.absent(), absent);
    }
  }
  EXPECT_GT(changes, 1000);
}

TEST(TailExchangeTest, AtNoTemperatureThePlanOnlyBecomesCheaper) {
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    RandomPlan plan(seed);
    TailExchange exchange(plan.routes, plan.random);
    double before = plan.routes.cost();
    for (int32_t i = 0; i < 100; ++i) {
      const bool changed = exchange.Run(0, 0);
      ASSERT_EQ(changed, plan.routes.cost() < before) << plan.instance.name();
      before = plan.routes.cost();
    }
  }
}

}  // namespace
}  // namespace vrp
