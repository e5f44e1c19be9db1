// Tests that exactly the visits that do not pay leave the plan.
#include "core/search/moves/pruning.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "core/problem/checker/checker.h"
#include "core/search/ruin_recreate/recreate.h"
#include "tests/testing/feature_instances.h"

namespace vrp {
namespace {

constexpr double kGenerous = 10;

// All slots of a plan that serves customers for many times their prizes.
std::vector<int32_t> Overserve(RouteStore& routes) {
  FastRandom random(1);
  const StopCondition never;
  Recreate(routes, random, never).InsertAbsent(kGenerous, Recreate::First::kBulky);
  std::vector<int32_t> slots(routes.slots());
  std::iota(slots.begin(), slots.end(), 0);
  return slots;
}

// Returns the saving of leaving out the visit at that position, beyond its prize.
double Saved(RouteStore& routes, const SearchRoute& route, int32_t at) {
  const Problem& problem = routes.problem();
  const double prize = problem.unit(problem.UnitOf(route.nodes[at])).prize;
  if (route.size() == 3) return route.cost - prize;
  std::vector<NodeIndex> nodes = route.nodes;
  nodes.erase(nodes.begin() + at);
  const RouteValue value = routes.evaluator().Evaluate(problem.vehicle(route.type), nodes);
  return value.feasible ? route.cost - value.cost - prize : -prize;
}

TEST(PruningTest, LeavesNobodyInWhoIsNotWorthTheVisit) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const Instance instance = test::MakeFeatureInstance(
        {.customers = 40, .seed = seed, .features = {Feature::kPrizes, Feature::kVehicleTypes}});
    const Problem problem = Problem::Create(instance, {});
    RouteStore routes(problem);
    const std::vector<int32_t> slots = Overserve(routes);
    const double before = routes.cost();
    Pruning pruning(routes);
    ASSERT_TRUE(pruning.has_optional());
    pruning.Prune(slots);
    EXPECT_LT(routes.cost(), before) << "seed " << seed;
    EXPECT_EQ(routes.missing_weight(), 0) << "seed " << seed;
    for (const int32_t slot : slots) {
      const SearchRoute& route = routes.route(slot);
      for (int32_t i = 1; i + 1 < route.size(); ++i) {
        if (problem.unit(problem.UnitOf(route.nodes[i])).required()) continue;
        EXPECT_LT(Saved(routes, route, i), 1e-6) << "seed " << seed;
      }
    }
  }
}

TEST(PruningTest, KeepsPlansSoundWhateverElseThereIs) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    std::vector<Feature> features = {Feature::kPrizes};
    for (const Feature feature : test::DrawFeatures(seed)) features.push_back(feature);
    const Instance instance =
        test::MakeFeatureInstance({.customers = 40, .seed = seed, .features = features});
    const Problem problem = Problem::Create(instance, {});
    RouteStore routes(problem);
    const std::vector<int32_t> slots = Overserve(routes);
    const double before = routes.cost();
    const Cost plan_before = PlanCost(instance, routes.ToPlan());  // with who cannot be served
    const double missing = routes.missing_weight();
    Pruning(routes).Prune(slots);
    EXPECT_LE(routes.cost(), before) << "seed " << seed;
    EXPECT_EQ(routes.missing_weight(), missing) << "seed " << seed;
    const Plan plan = routes.ToPlan();
    EXPECT_NEAR(PlanCost(instance, plan) - plan_before, routes.cost() - before, 1e-6)
        << "seed " << seed;
    EXPECT_TRUE(RoutesAreFeasible(CheckPlan(instance, plan))) << "seed " << seed;
  }
}

TEST(PruningTest, HasNothingToDoWhereAllMustBeServed) {
  const Instance instance =
      test::MakeFeatureInstance({.customers = 20, .features = {Feature::kVehicleTypes}});
  const Problem problem = Problem::Create(instance, {});
  RouteStore routes(problem);
  EXPECT_FALSE(Pruning(routes).has_optional());
}

}  // namespace
}  // namespace vrp
