// Tests properties of every move of every operator on random plans: VRP_PROPERTY_MOVES says on how
// many (the full count is a million).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

#include "core/problem/checker/checker.h"
#include "core/search/moves/penalised_local_search.h"
#include "core/search/moves/type_change.h"
#include "core/search/ruin_recreate/insertion.h"
#include "core/search/ruin_recreate/recreate.h"
#include "core/search/ruin_recreate/ruin.h"
#include "core/search/search.h"
#include "tests/testing/brute_force.h"
#include "tests/testing/feature_instances.h"
#include "tests/testing/instance_builder.h"
#include "tests/testing/random_plan.h"

namespace vrp {
namespace {

using test::AnInstance;
using test::InstanceBuilder;

int64_t MovesWanted() {
  constexpr int64_t kByDefault = 300'000;
  const char* text = std::getenv("VRP_PROPERTY_MOVES");
  return text == nullptr ? kByDefault : std::atoll(text);
}

struct Kind {
  const char* name;
  InstanceBuilder builder;
};

std::vector<Kind> PlainKinds() {
  return {{"Cvrp", AnInstance().RandomDemands().Capacity(30)},
          {"Rounded", AnInstance().RandomDemands().Capacity(30).As(Metric::kRounded)},
          {"Asymmetric", AnInstance().RandomDemands().Capacity(30).ExplicitMatrix(0.5)},
          {"Windows", AnInstance().RandomDemands().Capacity(40).RandomWindows().Service(2)},
          {"AsymmetricWindows",
           AnInstance().RandomDemands().Capacity(40).RandomWindows().ExplicitMatrix(0.5)},
          {"Tsp", AnInstance().Kind(ProblemKind::kTsp).ExplicitMatrix(0.5)}};
}

// With distances, loads over capacity at a penalty, and time warp at a penalty: SWAP* and all
// others.
TEST(PopulationMoveTest, AddsWhatItSaysThatItAdds) {
  const int64_t wanted = MovesWanted() * 3 / 10;
  int64_t moves = 0;
  FastRandom random(3);
  for (uint64_t seed = 1; moves < wanted; ++seed) {
    for (Kind& kind : PlainKinds()) {
      const Instance instance = kind.builder.WithCustomers(40).Seed(seed).Build();
      if (instance.vehicles().empty()) continue;
      const Problem problem = Problem::Create(instance, {});
      const std::vector<int32_t> counts = {12};
      PenalisedRoutes routes(problem, counts);
      PenalisedLocalSearch search(routes, random);
      for (int32_t round = 0; round < 10; ++round) {
        routes.SetPenalties({.load = 20 * random.Unit(), .time = 3 * random.Unit()});
        std::vector<std::vector<NodeIndex>> parts(12);
        for (NodeIndex node = 1; node <= 40; ++node) parts[random.Below(11)].push_back(node);
        routes.Clear();
        const int64_t settled = search.Restart();
        for (int32_t index = 0; index < 12; ++index) {
          random.Shuffle(std::span<NodeIndex>(parts[index]));
          routes.SetCustomers(index, parts[index], settled + 1);
        }
        const double before = routes.PenalisedCost();
        const int64_t first = routes.changes();
        ASSERT_TRUE(search.Descend({}));
        moves += (routes.changes() - first) / 2;
        double distance = 0;
        for (const PenalisedRoutes::Route& route : routes.routes()) {
          for (size_t i = 0; i + 1 < route.nodes.size(); ++i) {
            distance += problem.Distance(problem.vehicle(0), route.nodes[i], route.nodes[i + 1]);
          }
        }
        const double after = distance + routes.penalties() * routes.Excess();
        ASSERT_NEAR(before + search.added(), after, 1e-6 * before) << kind.name;
      }
    }
  }
}

// Insertions of one and of both ends of a shipment, with and without reloads, into open and new
// routes; then the ruin and the changes of vehicle types, by the plan's recomputed value.
TEST(FeatureMoveTest, AddsWhatItSaysThatItAdds) {
  const int64_t wanted = MovesWanted() * 3 / 10;
  int64_t moves = 0;
  for (uint64_t seed = 1; moves < wanted; ++seed) {
    const Instance instance = test::MakeFeatureInstance(
        {.customers = 25, .seed = seed, .features = test::DrawFeatures(seed)});
    const Problem problem = Problem::Create(instance, {});
    RouteStore routes(problem);
    // Prizes of those whom no vehicle can serve at all.
    const double out_of_reach = ValueOf(instance, {}).cost - routes.cost();
    FastRandom random(seed);
    Insertion insertion(routes, random);
    insertion.SetPolicy({.blink = 0.3});
    Ruin ruin(routes, random);
    TypeChange types(routes, random);
    for (int32_t round = 0; round < 20; ++round) {
      routes.Begin();
      const auto removed = ruin.Remove(true);
      std::vector<int32_t> absent = routes.absent();
      absent.insert(absent.end(), removed.begin(), removed.end());
      random.Shuffle(std::span<int32_t>(absent));
      std::vector<int32_t> left;
      for (const int32_t u : absent) {
        const InsertionPlace place = insertion.Find(u, Problem::kNever);
        if (!place.found()) left.push_back(u);
        if (!place.found()) continue;
        const double before = routes.cost() + problem.route_weight() * routes.used();
        insertion.Insert(place);
        ++moves;
        ASSERT_NEAR(routes.cost() + problem.route_weight() * routes.used() - before, place.cost,
                    1e-6)
            << instance.name();
      }
      routes.SetAbsent(left);
      for (const int32_t slot : routes.Touched()) {
        if (!routes.route(slot).empty()) types.Shake(slot);
      }
      types.Improve(routes.Touched());
      const Plan plan = routes.ToPlan();
      const CheckReport report = CheckPlan(instance, plan);
      ASSERT_TRUE(RoutesAreFeasible(report)) << report.violations.front().message;
      ASSERT_NEAR(routes.cost() + out_of_reach, ValueOf(instance, plan).cost,
                  1e-6 * (1 + routes.cost()))
          << instance.name();
      round % 3 == 0 ? routes.Rollback() : routes.Commit();
    }
  }
}

// An open end, a break, and no window anywhere: starting later changes nothing at the end.
TEST(FeatureMoveTest, KnowsTheLatestStartBesideABreakWithoutWindows) {
  InstanceData data = test::AnInstance().WithCustomers(25).Seed(765).BuildData();
  data.objective = Objective::kDuration;
  data.vehicles[0].open_end = true;
  data.vehicles[0].breaks = {{.window = {60, 110}, .duration = 15}};
  const Instance instance = *Instance::Create(std::move(data));
  const Problem problem = Problem::Create(instance, {});
  const Vehicle& vehicle = problem.vehicle(0);
  const PlannedRoute route = {.vehicle_type = vehicle.originals[0].first,
                              .customers = {14, 10, 22, 11, 1}};
  const RouteValue value =
      RouteEvaluator(problem).Evaluate(vehicle, WithEnds(vehicle, route.customers));
  EXPECT_NEAR(value.duration, RouteScheduler(instance).Make(route).duration(), 1e-9);
}

class RepetitionTest : public testing::TestWithParam<int32_t> {};

TEST_P(RepetitionTest, TheSameSeedAndIterationsGiveTheSamePlan) {
  const auto feature = static_cast<Feature>(GetParam());
  for (uint64_t seed = 1; seed <= 2; ++seed) {
    const Instance instance =
        test::MakeFeatureInstance({.customers = 30, .seed = seed, .features = {feature}});
    SearchOptions options;
    options.max_iterations = 200;
    options.seed = seed;
    const Plan plan = Search(instance, options)->plan;
    EXPECT_EQ(plan, Search(instance, options)->plan);
  }
}

INSTANTIATE_TEST_SUITE_P(AllFeatures, RepetitionTest,
                         testing::Range(0, static_cast<int32_t>(Feature::kInOrder) + 1));
INSTANTIATE_TEST_SUITE_P(OfVehicles, RepetitionTest,
                         testing::Values(static_cast<int32_t>(Feature::kCustomerTimes),
                                         static_cast<int32_t>(Feature::kServiceTimeCost),
                                         static_cast<int32_t>(Feature::kDepotService),
                                         static_cast<int32_t>(Feature::kTravelTimeCost),
                                         static_cast<int32_t>(Feature::kLengthMatrix)));

TEST(EightCustomersTest, AreSolvedAsByTryingEverything) {
  for (Kind& kind : PlainKinds()) {
    const Instance instance = kind.builder.WithCustomers(8).Seed(11).Build();
    const test::BruteForceResult best = test::BruteForceOptimum(instance);
    SearchOptions options;
    options.max_iterations = 2000;
    const SearchResult found = *Search(instance, options);
    EXPECT_TRUE(CheckPlan(instance, found.plan, found.cost).feasible) << kind.name;
    EXPECT_NEAR(found.cost, best.cost, 1e-6) << kind.name;
  }
}

}  // namespace
}  // namespace vrp
