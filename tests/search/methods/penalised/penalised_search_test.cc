// Plans that break limits at a penalty, and the search for one that breaks none.
#include "core/search/methods/penalised/penalised_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/problem/checker/checker.h"
#include "core/search/moves/penalised_local_search.h"
#include "core/search/route/penalised_routes.h"
#include "core/search/ruin_recreate/penalised_recreate.h"
#include "core/search/ruin_recreate/recreate.h"
#include "core/search/search.h"
#include "tests/testing/feature_instances.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

const std::vector<std::vector<Feature>> kMixtures = {
    {Feature::kVehicleTypes},
    {Feature::kVehicleTypes, Feature::kObjective},
    {Feature::kSeveralDepots, Feature::kMaxStops},
    {Feature::kVehicleTypes, Feature::kSkills, Feature::kShift},
    {Feature::kMaxDistance, Feature::kMaxDuration, Feature::kOpenEnd},
    {Feature::kLoadDimensions, Feature::kEndDepot, Feature::kOvertime},
    {Feature::kVehicleTypes, Feature::kVehicleMatrix},
};

Instance MadeOf(const std::vector<Feature>& features, uint64_t seed, int32_t customers) {
  return test::MakeFeatureInstance(
      {.customers = customers, .seed = seed, .features = features, .vehicles = 3});
}

// Everyone somewhere, whatever that breaks.
struct CrowdedPlan {
  CrowdedPlan(const Instance& instance, uint64_t seed)
      : problem(Problem::Create(instance, {})), random(seed), routes(problem) {
    routes.SetPenalties({.load = 1, .time = 0.5, .distance = 0.5});
    const RouteStore empty(problem);
    for (const int32_t u : empty.servable()) {
      everyone.push_back(problem.NodesOf(problem.unit(u)).front());
    }
    std::vector<NodeIndex> customers = everyone;
    recreate.Insert(customers);
  }

  double Recomputed() const {
    PenalisedRoutes fresh(problem);
    fresh.SetPenalties(routes.penalties());
    for (int32_t slot = 0; slot < routes.slots(); ++slot) {
      fresh.SetCustomers(slot, routes.CustomersOf(slot));
    }
    return fresh.PenalisedCost();
  }
  // Takes out every third, from a random one on.
  std::vector<NodeIndex> TakeSome() {
    std::vector<NodeIndex> taken;
    for (size_t i = random.Below(3); i < everyone.size(); i += 3) {
      const int32_t slot = routes.RouteOf(everyone[i]);
      const auto there = routes.CustomersOf(slot);
      std::vector<NodeIndex> left(there.begin(), there.end());
      std::erase(left, everyone[i]);
      routes.SetCustomers(slot, left);
      taken.push_back(everyone[i]);
    }
    return taken;
  }

  const Problem problem;
  FastRandom random;
  PenalisedRoutes routes;
  PenalisedRecreate recreate{routes, random};
  PenalisedLocalSearch search{routes, random};
  std::vector<NodeIndex> everyone;
};

std::vector<NodeIndex> Copied(std::span<const NodeIndex> nodes) {
  return {nodes.begin(), nodes.end()};
}

TEST(PenalisedRoutesTest, WhatAnInsertionIsSaidToAddItAdds) {
  int64_t judged = 0;
  for (const auto& features : kMixtures) {
    for (uint64_t seed = 1; seed <= 4; ++seed) {
      CrowdedPlan plan(MadeOf(features, seed, 30), seed);
      ASSERT_TRUE(CanPenalise(plan.problem));
      for (const NodeIndex customer : plan.TakeSome()) {
        for (int32_t slot = 0; slot < plan.routes.slots(); ++slot) {
          const PenalisedRoutes::Route& route = plan.routes.route(slot);
          const int32_t after = plan.random.Below(route.stops() + 1);
          const NodeIndex before_it = route.nodes[after];
          const NodeIndex behind_it = route.nodes[after + 1];
          const double said =
              plan.routes.Edge(slot, before_it, customer) +
              plan.routes.Edge(slot, customer, behind_it) -
              plan.routes.Edge(slot, before_it, behind_it) +
              plan.routes.ExtraCost({slot, before_it, {&customer, 1}, behind_it, slot}) -
              plan.routes.ExtraCost(route);
          plan.routes.Begin();
          const double before = plan.routes.PenalisedCost();
          std::vector<NodeIndex> filled = Copied(plan.routes.CustomersOf(slot));
          filled.insert(filled.begin() + after, customer);
          plan.routes.SetCustomers(slot, filled);
          const double added = plan.routes.PenalisedCost() - before;
          const double tolerance = 1e-6 * (1 + std::abs(added));
          ASSERT_NEAR(said, added, tolerance);
          plan.routes.Rollback();
          ASSERT_NEAR(plan.routes.PenalisedCost(), before, 1e-6);
          ++judged;
        }
      }
    }
  }
  EXPECT_GT(judged, 1'000);
}

TEST(PenalisedRoutesTest, ExchangedTailsCostWhatTheRoutesThenCost) {
  for (const auto& features : kMixtures) {
    CrowdedPlan plan(MadeOf(features, 7, 40), 7);
    for (int32_t trial = 0; trial < 2'000; ++trial) {
      const int32_t a = plan.random.Below(plan.routes.slots());
      const int32_t b = plan.random.Below(plan.routes.slots());
      if (a == b) continue;
      const std::vector<NodeIndex> first = Copied(plan.routes.CustomersOf(a));
      const std::vector<NodeIndex> second = Copied(plan.routes.CustomersOf(b));
      const int32_t head = plan.random.Below(static_cast<int32_t>(first.size()) + 1);
      const int32_t tail = plan.random.Below(static_cast<int32_t>(second.size()) + 1);
      const NodeIndex before = plan.routes.route(a).nodes[head];
      const NodeIndex after = plan.routes.route(b).nodes[tail + 1];
      const double said = plan.routes.ExtraCost({a, before, {}, after, b});
      std::vector<NodeIndex> joined(first.begin(), first.begin() + head);
      joined.insert(joined.end(), second.begin() + tail, second.end());
      plan.routes.Begin();
      plan.routes.SetCustomers(b, {});
      plan.routes.SetCustomers(a, joined);
      ASSERT_NEAR(said, plan.routes.ExtraCost(plan.routes.route(a)), 1e-6 * (1 + said));
      plan.routes.Rollback();
      ASSERT_EQ(Copied(plan.routes.CustomersOf(a)), first);
      ASSERT_EQ(Copied(plan.routes.CustomersOf(b)), second);
    }
  }
}

TEST(PenalisedRoutesTest, APlanThatBreaksNothingIsOneThatTheEvaluatorAllows) {
  int32_t allowed = 0;
  int32_t refused = 0;
  for (const auto& features : kMixtures) {
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      CrowdedPlan plan(MadeOf(features, seed, 25), seed);
      RouteEvaluator evaluator(plan.problem);
      for (int32_t slot = 0; slot < plan.routes.slots(); ++slot) {
        const PenalisedRoutes::Route& route = plan.routes.route(slot);
        if (route.empty()) continue;
        const RouteValue value = evaluator.Evaluate(plan.problem.vehicle(route.type), route.nodes);
        const bool kept =
            route.excess.load == 0 && route.excess.time == 0 && route.excess.distance == 0;
        ASSERT_EQ(kept, value.feasible);
        if (kept) {
          ASSERT_NEAR(route.cost + route.fixed + route.waiting, value.cost, 1e-6 * value.cost);
        }
        ++(kept ? allowed : refused);
      }
    }
  }
  EXPECT_GT(allowed, 50);
  EXPECT_GT(refused, 50);
}

TEST(PenalisedLocalSearchTest, LowersThePenalisedCostFromAChangeOnAndKeepsEveryone) {
  int32_t lowered = 0;
  for (const auto& features : kMixtures) {
    for (uint64_t seed = 1; seed <= 10; ++seed) {
      CrowdedPlan plan(MadeOf(features, seed, 40), seed);
      const int64_t change = plan.routes.changes();
      std::vector<NodeIndex> taken = plan.TakeSome();
      plan.recreate.Insert(taken);
      const double before = plan.routes.PenalisedCost();
      plan.search.DescendFrom(change);
      lowered += plan.routes.PenalisedCost() < before;
      EXPECT_NEAR(plan.routes.PenalisedCost(), before + plan.search.added(), 1e-6 * before);
      EXPECT_NEAR(plan.routes.PenalisedCost(), plan.Recomputed(), 1e-6 * before);
      std::vector<NodeIndex> served;
      for (int32_t slot = 0; slot < plan.routes.slots(); ++slot) {
        const auto there = plan.routes.CustomersOf(slot);
        served.insert(served.end(), there.begin(), there.end());
        EXPECT_TRUE(plan.routes.Allowed(slot, there));
      }
      std::sort(served.begin(), served.end());
      std::sort(plan.everyone.begin(), plan.everyone.end());
      EXPECT_EQ(served, plan.everyone);
    }
  }
  EXPECT_GT(lowered, 60);
}

TEST(CanPenaliseTest, KnowsWhatItCannotPenalise) {
  const auto can = [](const std::vector<Feature>& features) {
    return CanPenalise(Problem::Create(MadeOf(features, 1, 10), {}));
  };
  EXPECT_TRUE(can({}));
  EXPECT_FALSE(can({Feature::kShipments}));
  EXPECT_FALSE(can({Feature::kPickups}));
  EXPECT_FALSE(can({Feature::kBackhauls}));
  EXPECT_FALSE(can({Feature::kReloads}));
  EXPECT_FALSE(can({Feature::kBreaks}));
  EXPECT_FALSE(can({Feature::kReleaseTimes}));
  EXPECT_FALSE(can({Feature::kSetupTimes}));
  EXPECT_FALSE(can({Feature::kSeveralWindows}));
  EXPECT_FALSE(can({Feature::kSoftWindows}));
  EXPECT_FALSE(can({Feature::kAlternatives}));
  EXPECT_FALSE(can({Feature::kLifo}));
  EXPECT_FALSE(can({Feature::kCompartments}));
  EXPECT_FALSE(can({Feature::kSameRoute}));
  EXPECT_FALSE(can({Feature::kDifferentRoutes}));
  EXPECT_FALSE(can({Feature::kMaxPerRoute}));
  EXPECT_FALSE(can({Feature::kInOrder}));
}

TEST(PenalisedSearchKnowsTest, KnowsEveryFeature) {
  const auto known = [](const std::vector<Feature>& features) {
    return PenalisedSearchKnows(Problem::Create(MadeOf(features, 1, 10), {}));
  };
  for (const Feature feature :
       {Feature::kShipments, Feature::kPickups, Feature::kBackhauls, Feature::kReloads,
        Feature::kBreaks, Feature::kReleaseTimes, Feature::kSetupTimes, Feature::kSeveralWindows,
        Feature::kSoftWindows, Feature::kAlternatives, Feature::kMaxWaiting, Feature::kLifo,
        Feature::kCompartments, Feature::kSameRoute, Feature::kDifferentRoutes,
        Feature::kMaxPerRoute, Feature::kInOrder}) {
    EXPECT_TRUE(known({feature})) << static_cast<int>(feature);
  }
}

// Windows around the times at which routes that go on to the nearest come by: vehicles of two sizes
// that have so much room left where all are served as they were then.
Instance BusyVehiclesOfTwoSizes(uint64_t seed, double room) {
  constexpr int32_t kVehicles = 8;
  constexpr int32_t kStops = 8;
  FastRandom random(seed);
  std::vector<Position> positions = {{50, 50}};
  for (int32_t i = 0; i < kVehicles * kStops; ++i) {
    positions.push_back({100 * random.Unit(), 100 * random.Unit()});
  }
  const auto way = [&](NodeIndex a, NodeIndex b) {
    return std::hypot(positions[a].x - positions[b].x, positions[a].y - positions[b].y);
  };
  const size_t customers = positions.size() - 1;
  std::vector<TimeWindow> windows(customers);
  std::vector<double> demands(customers);
  std::vector<char> visited(positions.size(), 0);
  std::vector<VehicleType> vehicles = {{.count = kVehicles / 2}, {.count = kVehicles / 2}};
  for (VehicleType& type : vehicles) type.capacity = 0;
  double horizon = 0;
  for (int32_t vehicle = 0; vehicle < kVehicles; ++vehicle) {
    NodeIndex at = 0;
    double time = 0;
    const bool is_large = vehicle % 2 == 1;
    for (int32_t stop = 0; stop < kStops; ++stop) {
      NodeIndex next = 0;
      for (NodeIndex node = 1; node < std::ssize(positions); ++node) {
        if (!visited[node] && (next == 0 || way(at, node) < way(at, next))) next = node;
      }
      visited[next] = 1;
      time += way(at, next);
      windows[next - 1] = {std::max(0.0, time - 40 * random.Unit()), time + 40 * random.Unit()};
      demands[next - 1] = is_large ? 3 : 2;
      at = next;
    }
    horizon = std::max(horizon, time + way(at, 0));
  }
  vehicles[0].capacity = 2 * kStops + room;
  vehicles[1].capacity = 3 * kStops + room;
  InstanceData data =
      test::AnInstance().At(positions).Demands(demands).Windows(windows, horizon).BuildData();
  data.vehicles = vehicles;
  return *Instance::Create(std::move(data));
}

TEST(FindCompletePlanTest, GivesAPlanThatServesAllOrNone) {
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    const Instance instance = BusyVehiclesOfTwoSizes(seed, 2);
    const Problem problem = Problem::Create(instance, {});
    const RouteStore empty(problem);
    FastRandom random(seed);
    SearchOptions options;
    options.max_iterations = 100'000;
    int64_t iterations = 0;
    const Plan found = FindCompletePlan(empty, options, random, iterations);
    const CheckReport report = CheckPlan(instance, found);
    EXPECT_TRUE(report.feasible) << seed << ": " << report.violations.front().message;
    EXPECT_GT(iterations, 0);
    EXPECT_LT(iterations, options.max_iterations);
    options.stop = StopCondition(absl::InfinitePast(), nullptr);
    EXPECT_TRUE(FindCompletePlan(empty, options, random, iterations).empty());
  }
}

TEST(FindCompletePlanTest, ServesEveryoneWhereWindowsAndLoadsKeepUnlikeVehiclesBusy) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    const Instance instance = BusyVehiclesOfTwoSizes(seed, 0);
    SearchOptions options;
    options.max_iterations = 40'000;
    options.seed = seed;
    const SearchResult found = *Search(instance, options);
    const CheckReport report = CheckPlan(instance, found.plan, found.cost);
    EXPECT_TRUE(report.feasible) << seed << ": " << report.violations.front().message;
  }
}

TEST(ImprovePenalisedTest, ReportsPlansThatBreakNoLimitAndGrowCheaper) {
  for (const auto& features : kMixtures) {
    const Instance instance = MadeOf(features, 5, 30);
    const Problem problem = Problem::Create(instance, {});
    FastRandom random(5);
    const StopCondition never;
    RouteStore routes(problem);
    Recreate(routes, random, never).InsertAbsent(1, Recreate::First::kBulky);
    if (routes.missing_weight() > 0) continue;
    SearchOptions options;
    options.max_iterations = 3'000;
    int64_t iterations = 0;
    PlanValue last = ValueOf(instance, routes.ToPlan());
    const auto expect_better = [&](const Plan& plan) {
      const CheckReport report = CheckPlan(instance, plan);
      ASSERT_TRUE(RoutesAreFeasible(report)) << report.violations.front().message;
      EXPECT_LT(ValueOf(instance, plan), last);
      last = ValueOf(instance, plan);
    };
    const Plan best = ImprovePenalised(routes, options, random, iterations, expect_better);
    EXPECT_EQ(iterations, options.max_iterations);
    EXPECT_TRUE(RoutesAreFeasible(CheckPlan(instance, best)));
    EXPECT_LE(ValueOf(instance, best), last);
    EXPECT_LT(ValueOf(instance, best).cost, 0.98 * routes.cost());
  }
}

}  // namespace
}  // namespace vrp
