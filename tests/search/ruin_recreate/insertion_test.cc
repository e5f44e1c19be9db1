// The cost that an insertion is judged by is what it adds.
#include "core/search/ruin_recreate/insertion.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <vector>

#include "core/search/ruin_recreate/recreate.h"
#include "core/search/ruin_recreate/ruin.h"
#include "tests/testing/feature_instances.h"

namespace vrp {
namespace {

// The least that a shipment adds to any route there is, by trying all places of both ends.
double CheapestPlace(const Problem& problem, const RouteStore& routes, int32_t unit) {
  const auto ends = problem.NodesOf(problem.unit(unit));
  RouteEvaluator evaluator(problem);
  double least = Problem::kNever;
  for (int32_t slot = 0; slot < routes.slots(); ++slot) {
    const SearchRoute& route = routes.route(slot);
    for (int32_t i = 1; i < route.size(); ++i) {
      for (int32_t j = i; j < route.size(); ++j) {
        std::vector<NodeIndex> nodes = route.nodes;
        nodes.insert(nodes.begin() + j, ends[1]);
        nodes.insert(nodes.begin() + i, ends[0]);
        const RouteValue value = evaluator.Evaluate(problem.vehicle(route.type), nodes);
        if (value.feasible) least = std::min(least, value.cost - route.cost);
      }
    }
  }
  return least;
}

// A complete plan, units of which are taken out and looked at again; no more routes are opened.
struct FullPlan {
  FullPlan(const Instance& instance, uint64_t seed)
      : problem(Problem::Create(instance, {})), random(seed) {
    Recreate(routes, random, never).InsertAbsent(1);
    routes.LimitRoutes(0);
  }

  const Problem problem;
  FastRandom random;
  const StopCondition never;
  RouteStore routes{problem};
  Insertion insertion{routes, random};
  Ruin ruin{routes, random};
};

struct ShipmentCase {
  const char* name;
  std::vector<Feature> features;
};

class ShipmentPlaceTest : public testing::TestWithParam<ShipmentCase> {};

TEST_P(ShipmentPlaceTest, IsTheCheapestOfAll) {
  int64_t found = 0;
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    std::vector<Feature> features = GetParam().features;
    features.push_back(Feature::kShipments);
    const Instance instance = test::MakeFeatureInstance(
        {.customers = 24, .seed = seed, .features = features, .objective = Objective::kDuration});
    FullPlan plan(instance, seed);
    for (int32_t round = 0; round < 10; ++round) {
      plan.routes.Begin();
      for (const int32_t u : plan.ruin.Remove(true)) {
        if (plan.problem.unit(u).kind != Unit::Kind::kShipment) continue;
        const double least = CheapestPlace(plan.problem, plan.routes, u);
        const InsertionPlace place = plan.insertion.Find(u, Problem::kNever);
        ASSERT_EQ(place.found(), least < Problem::kNever) << "seed " << seed;
        if (!place.found()) continue;
        ++found;
        ASSERT_NEAR(place.cost, least, 1e-6) << "seed " << seed;
      }
      plan.routes.Rollback();
    }
  }
  EXPECT_GT(found, 100);
}

INSTANTIATE_TEST_SUITE_P(
    Features, ShipmentPlaceTest,
    testing::Values(ShipmentCase{"Alone", {}},
                    ShipmentCase{"OtherLoads", {Feature::kPickups, Feature::kBackhauls}},
                    ShipmentCase{"Limits",
                                 {Feature::kLoadDimensions, Feature::kMaxStops,
                                  Feature::kMaxDistance, Feature::kSkills}},
                    ShipmentCase{"Duration", {Feature::kObjective}},
                    ShipmentCase{"MaxDuration", {Feature::kMaxDuration}},
                    ShipmentCase{"Overtime", {Feature::kOvertime}},
                    ShipmentCase{"OpenEnd", {Feature::kOpenEnd, Feature::kShift}},
                    ShipmentCase{"Setup", {Feature::kSetupTimes}},
                    ShipmentCase{"Releases", {Feature::kReleaseTimes}},
                    ShipmentCase{"Breaks", {Feature::kBreaks}},
                    ShipmentCase{"SoftWindows", {Feature::kSoftWindows}},
                    ShipmentCase{"BreaksAndSoftWindows", {Feature::kBreaks, Feature::kSoftWindows}},
                    ShipmentCase{"SeveralWindows", {Feature::kSeveralWindows}},
                    ShipmentCase{"Lifo", {Feature::kLifo}},
                    ShipmentCase{"LifoOfSomeVehicles", {Feature::kLifo, Feature::kVehicleTypes}},
                    ShipmentCase{"LifoAndCompartments",
                                 {Feature::kLifo, Feature::kCompartments, Feature::kPickups}}),
    [](const auto& one) { return one.param.name; });

// So many that places are looked for beside related customers alone.
constexpr int32_t kMany = Problem::kScanAllNodes + 30;

TEST(InsertionTest, AddsExactlyTheCostThatItPromised) {
  int64_t insertions = 0;
  for (uint64_t seed = 1; seed <= 120; ++seed) {
    const Objective objective = seed % 3 == 0 ? Objective::kDuration : Objective::kCost;
    const Instance instance = test::MakeFeatureInstance({.customers = seed % 4 == 0 ? kMany : 30,
                                                         .seed = seed,
                                                         .features = test::DrawFeatures(seed),
                                                         .objective = objective});
    const Problem problem = Problem::Create(instance, {});
    RouteStore routes(problem);
    FastRandom random(seed);
    Insertion insertion(routes, random);
    Ruin ruin(routes, random);
    for (int32_t round = 0; round < 20; ++round) {
      const auto removed = ruin.Remove(true);
      std::vector<int32_t> absent = routes.absent();
      absent.insert(absent.end(), removed.begin(), removed.end());
      insertion.SetPolicy({.blink = 0.2});
      std::vector<int32_t> left;
      for (const int32_t u : absent) {
        const InsertionPlace place = insertion.Find(u, Problem::kNever);
        if (!place.found()) {
          left.push_back(u);
          continue;
        }
        const double before = routes.cost();
        insertion.Insert(place);
        ++insertions;
        ASSERT_GE(routes.RouteOf(place.node), 0) << instance.name();
        ASSERT_NEAR(routes.cost() - before, place.cost, 1e-6) << instance.name();
      }
      routes.SetAbsent(left);
    }
  }
  EXPECT_GT(insertions, 10'000);
}

// Tests the insertion of one customer by trying each position next to its related customers.
double CheapestBesideRelated(const Problem& problem, const RouteStore& routes, NodeIndex customer) {
  RouteEvaluator evaluator(problem);
  double least = Problem::kNever;
  for (const NodeIndex other : problem.Related(customer)) {
    if (routes.RouteOf(other) < 0) continue;
    const SearchRoute& route = routes.route(routes.RouteOf(other));
    for (const int32_t at : {routes.PositionOf(other), routes.PositionOf(other) + 1}) {
      std::vector<NodeIndex> nodes = route.nodes;
      nodes.insert(nodes.begin() + at, customer);
      const RouteValue value = evaluator.Evaluate(problem.vehicle(route.type), nodes);
      if (value.feasible) least = std::min(least, value.cost - route.cost);
    }
  }
  return least;
}

TEST(InsertionTest, FindsTheCheapestPlaceBesideRelatedCustomers) {
  int64_t found = 0;
  for (const Feature feature :
       {Feature::kBackhauls, Feature::kPickups, Feature::kOpenEnd, Feature::kEndDepot,
        Feature::kVehicleMatrix, Feature::kMaxDuration, Feature::kSeveralWindows}) {
    const Instance instance =
        test::MakeFeatureInstance({.customers = kMany, .seed = 5, .features = {feature}});
    FullPlan plan(instance, 1);
    for (int32_t round = 0; round < 30; ++round) {
      plan.routes.Begin();
      for (const int32_t u : plan.ruin.Remove(true)) {
        const NodeIndex customer = plan.problem.NodesOf(plan.problem.unit(u)).front();
        const double least = CheapestBesideRelated(plan.problem, plan.routes, customer);
        if (least == Problem::kNever) continue;  // then all places are looked at
        ++found;
        ASSERT_NEAR(plan.insertion.Find(u, Problem::kNever).cost, least, 1e-6) << instance.name();
      }
      plan.routes.Rollback();
    }
  }
  EXPECT_GT(found, 1000);
}

TEST(InsertionTest, KeepsTheDistancesOfTheInstanceAfterManyChanges) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const Instance instance = test::MakeFeatureInstance(
        {.customers = 60, .seed = seed, .features = test::DrawFeatures(seed)});
    const Problem problem = Problem::Create(instance, {});
    RouteStore routes(problem);
    FastRandom random(seed);
    const StopCondition never;
    Recreate recreate(routes, random, never);
    Ruin ruin(routes, random);
    recreate.InsertAbsent(1);
    for (int32_t i = 0; i < 200; ++i) {
      routes.Begin();
      const std::span<const int32_t> removed = ruin.Remove(true);
      recreate.InsertSome(removed, ruin.seed());
      if (i % 3 == 0) routes.Rollback();
    }
    for (int32_t slot = 0; slot < routes.slots(); ++slot) {
      const SearchRoute& route = routes.route(slot);
      for (int32_t p = 0; p + 1 < route.size(); ++p) {
        ASSERT_EQ(route.edge[p],
                  problem.Distance(problem.vehicle(route.type), route.nodes[p], route.nodes[p + 1]))
            << instance.name();
      }
    }
  }
}

TEST(InsertionTest, WhatIsRolledBackIsAsItWas) {
  const Instance instance = test::MakeFeatureInstance(
      {.customers = 40, .features = {Feature::kVehicleTypes, Feature::kPrizes}});
  const Problem problem = Problem::Create(instance, {});
  RouteStore routes(problem);
  FastRandom random(3);
  const StopCondition never;
  Recreate recreate(routes, random, never);
  Ruin ruin(routes, random);
  recreate.InsertAbsent(1);
  const Plan plan = routes.ToPlan();
  const double cost = routes.cost();
  for (int32_t i = 0; i < 50; ++i) {
    routes.Begin();
    const std::span<const int32_t> removed = ruin.Remove(true);
    recreate.InsertSome(removed, ruin.seed());
    routes.Rollback();
    ASSERT_EQ(routes.ToPlan(), plan);
    ASSERT_EQ(routes.cost(), cost);
  }
}

}  // namespace
}  // namespace vrp
