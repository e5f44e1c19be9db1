// Tests that the search's value of a route equals the plan's value and the checker's verdict.
#include "core/search/model/route_evaluator.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/problem/checker/checker.h"
#include "core/search/model/fast_random.h"
#include "core/search/route/route_store.h"
#include "core/search/route/search_route.h"
#include "tests/testing/feature_instances.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

// Random customers in random order, shipments complete and reloads at random places.
std::vector<NodeIndex> RandomVisits(const Problem& problem, const Vehicle& vehicle,
                                    FastRandom& random) {
  std::vector<NodeIndex> visits;
  const int32_t units = random.Between(1, 6);
  for (int32_t i = 0; i < units; ++i) {
    const Unit& unit = problem.unit(random.Below(problem.units()));
    const auto nodes = problem.WaysToServe(unit).front();
    if (std::find(visits.begin(), visits.end(), nodes[0]) != visits.end()) continue;
    const auto at = random.Between(0, static_cast<int32_t>(visits.size()));
    visits.insert(visits.begin() + at, nodes[0]);
    if (nodes.size() == 1) continue;
    visits.insert(visits.begin() + random.Between(at + 1, static_cast<int32_t>(visits.size())),
                  nodes[1]);
  }
  if (vehicle.max_reloads > 0 && visits.size() > 1) {
    const auto at = random.Between(1, static_cast<int32_t>(visits.size()) - 1);
    visits.insert(visits.begin() + at, vehicle.start);
  }
  return visits;
}

double PrizesOf(const Problem& problem, const std::vector<NodeIndex>& visits) {
  double prizes = 0;
  for (const NodeIndex node : visits) {
    if (problem.is_depot(node)) continue;
    const Unit& unit = problem.unit(problem.UnitOf(node));
    if (!unit.required() && !problem.IsDelivery(node)) prizes += unit.prize;
  }
  return prizes;
}

bool HasWrongCost(const CheckReport& report) {
  return std::ranges::any_of(report.violations, [](const Violation& violation) {
    return violation.kind == ViolationKind::kCostMismatch;
  });
}

// Returns how many of 60 random routes are feasible.
int64_t CompareOnRandomRoutes(const Instance& instance, uint64_t seed) {
  int64_t allowed = 0;
  const Problem problem = Problem::Create(instance, {});
  RouteEvaluator evaluator(problem);
  FastRandom random(seed);
  const double without = ValueOf(instance, {}).cost;
  for (int32_t i = 0; i < 60; ++i) {
    const int32_t type = random.Below(static_cast<int32_t>(problem.vehicles().size()));
    const Vehicle& vehicle = problem.vehicle(type);
    const auto visits = RandomVisits(problem, vehicle, random);
    const auto nodes = WithEnds(vehicle, visits);
    const RouteValue value = evaluator.Evaluate(vehicle, nodes);
    const Plan plan = {{.vehicle_type = vehicle.originals.front().first, .customers = visits}};
    const CheckReport report = CheckPlan(instance, plan);
    EXPECT_EQ(value.feasible, RoutesAreFeasible(report))
        << instance.name() << ": "
        << (report.violations.empty() ? "" : report.violations.front().message);
    if (!value.feasible || testing::Test::HasFailure()) continue;
    ++allowed;
    EXPECT_NEAR(value.cost, ValueOf(instance, plan).cost - without + PrizesOf(problem, visits),
                1e-5)
        << instance.name();
    EXPECT_FALSE(HasWrongCost(CheckPlan(instance, plan, ValueOf(instance, plan).cost)));
    SearchRoute route;
    route.type = type;
    route.nodes = nodes;
    MeasureEdges(problem, route);
    EXPECT_TRUE(MeasureRoute(problem, evaluator, route)) << instance.name();
    EXPECT_NEAR(route.cost, value.cost, 1e-6) << instance.name();
  }
  return allowed;
}

TEST(RouteEvaluatorTest, AgreesWithTheCheckerAndThePlansValueOnRandomRoutes) {
  int64_t allowed = 0;
  for (uint64_t seed = 1; seed <= 150 && !HasFailure(); ++seed) {
    const Objective objective = seed % 3 == 0 ? Objective::kDuration : Objective::kCost;
    allowed +=
        CompareOnRandomRoutes(test::MakeFeatureInstance({.customers = 14,
                                                         .seed = seed,
                                                         .features = test::DrawFeatures(seed),
                                                         .objective = objective}),
                              seed);
  }
  EXPECT_GT(allowed, 1000);
}

TEST(RouteEvaluatorTest, AgreesWhereTravelTimesDependOnTheDeparture) {
  int64_t allowed = 0;
  for (uint64_t seed = 1; seed <= 300 && !HasFailure(); ++seed) {
    std::vector<Feature> features = test::DrawFeatures(seed);
    features.push_back(Feature::kTimeOfDay);
    if (seed % 2 == 0) features.push_back(Feature::kObjective);
    const Objective objective = seed % 4 == 0 ? Objective::kDuration : Objective::kCost;
    allowed += CompareOnRandomRoutes(
        test::MakeFeatureInstance(
            {.customers = 14, .seed = seed, .features = features, .objective = objective}),
        seed);
  }
  EXPECT_GT(allowed, 1000);
}

TEST(RouteEvaluatorTest, ATripWithABreakLeavesItsReloadBeforeTheDepotCloses) {
  InstanceData data = test::AnInstance().At({{0, 0}, {10, 0}, {20, 0}}).BuildData();
  data.kind = ProblemKind::kVrptw;
  data.windows = {{0, 100}, {0, 900}, {0, 900}};
  data.releases = {0, 0, 150};
  data.vehicles[0].open_end = true;
  data.vehicles[0].max_reloads = 1;
  const PlannedRoute route{0, {1, 0, 2}};
  for (const bool breaks : {false, true}) {
    if (breaks) data.vehicles[0].breaks = {{{0, 900}, 5}};
    const Instance instance = *Instance::Create(data);
    EXPECT_FALSE(RoutesAreFeasible(CheckPlan(instance, {route})));
    const Problem problem = Problem::Create(instance, {});
    const auto nodes = WithEnds(problem.vehicle(0), route.customers);
    EXPECT_FALSE(RouteEvaluator(problem).Evaluate(problem.vehicle(0), nodes).feasible) << breaks;
  }
}

}  // namespace
}  // namespace vrp
