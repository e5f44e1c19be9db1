// The reduction of the fleet where fewer vehicles count before the cost.
#include "core/search/methods/fleet_reduction/fleet_reduction.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "core/problem/checker/checker.h"
#include "core/search/methods/fleet_reduction/ejection_fit.h"
#include "core/search/model/fast_random.h"
#include "core/search/model/problem.h"
#include "core/search/route/route_store.h"
#include "core/search/ruin_recreate/insertion.h"
#include "core/search/search.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

constexpr int32_t kFewRoutes = 6;
constexpr int32_t kStopsOfEach = 12;  // of each route; even

// Whether customers are pairs of a pickup and a delivery.
enum class UnitKind { kWindows, kShipments };

// Returns an instance that kFewRoutes routes over random places can serve: each customer's window
// holds the time at which its route comes by, and each vehicle is full at least once.
Instance ServedByFewRoutes(UnitKind kind, uint64_t seed) {
  FastRandom random(seed);
  const auto apart = [](Position a, Position b) { return std::hypot(a.x - b.x, a.y - b.y); };
  const Position depot = {50, 50};
  std::vector<Position> positions = {depot};
  std::vector<TimeWindow> windows;
  double horizon = 0;
  for (int32_t route = 0; route < kFewRoutes; ++route) {
    Position at = depot;
    double time = 0;
    for (int32_t stop = 0; stop < kStopsOfEach; ++stop) {
      const Position next = {100 * random.Unit(), 100 * random.Unit()};
      time += apart(at, next);
      windows.push_back({time - 40 * random.Unit(), time + 40 * random.Unit()});
      windows.back().open = std::max(0.0, windows.back().open);
      positions.push_back(at = next);
    }
    horizon = std::max(horizon, time + 50 + apart(at, depot));
  }
  InstanceData data =
      test::AnInstance().At(positions).Capacity(kStopsOfEach).Windows(windows, horizon).BuildData();
  data.objective = Objective::kVehiclesThenDistance;
  if (kind == UnitKind::kShipments) {
    data.demands.assign(data.demands.size(), 0);
    for (NodeIndex node = 1; node < std::ssize(positions); node += 2) {
      data.shipments.push_back(
          {.pickup = node, .delivery = node + 1, .amounts = {kStopsOfEach / 2.0}});
    }
  }
  return *Instance::Create(std::move(data));
}

SearchResult ReduceBriefly(const Instance& instance, int64_t iterations) {
  SearchOptions options;
  options.max_iterations = iterations;
  return *Search(instance, options);
}

class FleetReductionTest : public testing::TestWithParam<UnitKind> {};

// Returns a plan with one route for each customer, or for each shipment.
RouteStore OneRouteForEach(const Problem& problem) {
  Plan plan;
  for (int32_t u = 0; u < problem.units(); ++u) {
    const auto nodes = problem.NodesOf(problem.unit(u));
    plan.push_back({.customers = {nodes.begin(), nodes.end()}});
  }
  RouteStore routes(problem);
  routes.Load(plan);
  EXPECT_EQ(routes.used(), problem.units());
  return routes;
}

TEST_P(FleetReductionTest, FindsTheFewRoutesThatSuffice) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    const Instance instance = ServedByFewRoutes(GetParam(), seed);
    const Problem problem = Problem::Create(instance, {});
    FastRandom random(seed);
    RouteStore routes = OneRouteForEach(problem);
    SearchOptions options;
    options.max_iterations = 2000;
    FleetReduction(routes, random).Run(options, [] {});
    EXPECT_LE(routes.used(), kFewRoutes) << seed;
    EXPECT_TRUE(CheckPlan(instance, routes.ToPlan()).feasible) << seed;
  }
}

TEST_P(FleetReductionTest, LosesNothingWhenTheBudgetEndsInTheMiddle) {
  const Instance instance = ServedByFewRoutes(GetParam(), 4);
  const Problem problem = Problem::Create(instance, {});
  for (int64_t iterations = 0; iterations < 200; iterations += 13) {
    FastRandom random(5);
    RouteStore routes = OneRouteForEach(problem);
    SearchOptions options;
    options.max_iterations = iterations;
    int32_t reported = routes.used();
    const int64_t done = FleetReduction(routes, random).Run(options, [&] {
      EXPECT_TRUE(CheckPlan(instance, routes.ToPlan()).feasible) << iterations;
      reported = routes.used();
    });
    EXPECT_LE(done, iterations);
    EXPECT_EQ(routes.used(), reported) << iterations;
    EXPECT_TRUE(routes.absent().empty());
    EXPECT_TRUE(CheckPlan(instance, routes.ToPlan()).feasible) << iterations;
  }
}

TEST_P(FleetReductionTest, RepeatsItselfForASeedAndANumberOfIterations) {
  const Instance instance = ServedByFewRoutes(GetParam(), 6);
  const SearchResult first = ReduceBriefly(instance, 500);
  EXPECT_EQ(first.plan, ReduceBriefly(instance, 500).plan);
  EXPECT_EQ(first.iterations, 500);
}

// Returns whether `unit` has a place in `route` without the units in `leaving`.
bool FitsWhenMeasured(RouteStore& routes, Insertion& insertion, int32_t unit,
                      const SearchRoute& route, const std::vector<char>& leaving) {
  const Problem& problem = routes.problem();
  SearchRoute left;
  left.type = route.type;
  for (const NodeIndex node : route.nodes) {
    if (problem.is_depot(node) || !leaving[problem.UnitOf(node)]) left.nodes.push_back(node);
  }
  MeasureEdges(problem, left);
  EXPECT_TRUE(MeasureRoute(problem, routes.evaluator(), left));
  return insertion.FindIn(unit, -1, left, Problem::kNever).found();
}

TEST_P(FleetReductionTest, JudgesEjectionsAsIfTheyWereMeasured) {
  const Instance instance = ServedByFewRoutes(GetParam(), 7);
  const Problem problem = Problem::Create(instance, {});
  FastRandom random(8);
  RouteStore routes = OneRouteForEach(problem);
  SearchOptions options;
  options.max_iterations = 80;  // some of the routes have room left
  FleetReduction(routes, random).Run(options, [] {});
  Insertion insertion(routes, random);
  EjectionFit fit(problem);
  int32_t fitting = 0, misfits = 0;
  std::vector<char> leaving(problem.units(), 0);
  for (int32_t i = 0; i < 500; ++i) {
    const int32_t unit = random.Below(problem.units());
    const int32_t slot = random.Below(routes.slots());
    const SearchRoute& route = routes.route(slot);
    if (route.empty() || routes.RouteOf(problem.NodesOf(problem.unit(unit))[0]) == slot) continue;
    const auto draw = [&] { return problem.UnitOf(route.nodes[1 + random.Below(route.stops)]); };
    const int32_t first = draw(), second = draw();
    if (first == second) continue;
    fit.Begin(unit, route, leaving);
    fit.Remove(first);
    leaving[first] = 1;
    const bool fits = FitsWhenMeasured(routes, insertion, unit, route, leaving);
    EXPECT_EQ(fit.Fits(), fits) << unit;
    leaving[second] = 1;
    const bool fits_more = FitsWhenMeasured(routes, insertion, unit, route, leaving);
    EXPECT_EQ(fit.FitsWithout(second), fits_more) << unit;
    fit.Begin(unit, route, leaving);
    EXPECT_EQ(fit.Fits(), fits_more) << unit;
    leaving[first] = leaving[second] = 0;
    fitting += fits + fits_more;
    misfits += 2 - fits - fits_more;
  }
  EXPECT_GT(fitting, 3);
  EXPECT_GT(misfits, 3);
}

INSTANTIATE_TEST_SUITE_P(Kinds, FleetReductionTest,
                         testing::Values(UnitKind::kWindows, UnitKind::kShipments),
                         [](const auto& kind) {
                           return kind.param == UnitKind::kWindows ? "Windows" : "Shipments";
                         });

// Both customers at one place fill a vehicle each; nobody has to serve the second.
TEST(FleetReductionOfOptionalTest, LeavesCustomersOutWhomNobodyHasToServe) {
  InstanceData data =
      test::AnInstance().At({{0, 0}, {10, 0}, {10, 0}}).Demands({6, 6}).Capacity(10).BuildData();
  data.objective = Objective::kVehiclesThenDistance;
  data.prizes = {kNoLimit, kNoLimit, 1000};
  const Instance instance = *Instance::Create(std::move(data));
  const SearchResult found = ReduceBriefly(instance, 300);
  EXPECT_TRUE(CheckPlan(instance, found.plan, found.cost).feasible);
  EXPECT_EQ(found.plan.size(), 1u);
}

}  // namespace
}  // namespace vrp
