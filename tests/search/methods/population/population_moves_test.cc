// The population search's moves, Split and crossovers, against plain recomputation.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/search/methods/population/crossover.h"
#include "core/search/methods/population/split.h"
#include "core/search/moves/penalised_local_search.h"
#include "tests/testing/feature_instances.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using test::AnInstance;

Instance Make(int variant, uint64_t seed) {
  auto builder = AnInstance().WithCustomers(40).Seed(seed).RandomDemands().Capacity(25);
  if (variant == 1) return builder.ExplicitMatrix(0.5).Build();
  if (variant == 2) return builder.RandomWindows().Service(1).Build();
  if (variant == 3) return builder.As(Metric::kRounded).Build();
  if (variant == 4) return builder.RandomWindows().ExplicitMatrix(0.5).Build();
  return builder.Build();
}

// All customers in a random order, cut into routes at random; limits do not matter, skills do.
void LoadRandom(PenalisedRoutes& routes, FastRandom& random, int64_t when) {
  std::vector<NodeIndex> order = routes.customers();
  random.Shuffle(std::span<NodeIndex>(order));
  std::vector<std::vector<NodeIndex>> parts(routes.slots());
  for (const NodeIndex node : order) {
    int32_t slot = random.Below(routes.slots() - 1);
    while (!routes.Allowed(slot, {&node, 1})) slot = random.Below(routes.slots());
    parts[slot].push_back(node);
  }
  routes.Clear();
  for (int32_t slot = 0; slot < routes.slots(); ++slot) {
    routes.SetCustomers(slot, parts[slot], when);
  }
}

// Drives the route as a vehicle that goes back in time wherever it is late. It may leave the depot
// at any time, but leaving at once is never later.
double DrivenWarp(const Problem& problem, const std::vector<NodeIndex>& nodes) {
  const Vehicle& vehicle = problem.vehicle(0);
  double warp = 0;
  double time = problem.open(0);
  for (size_t i = 1; i < nodes.size(); ++i) {
    const NodeIndex node = nodes[i];
    double arrival =
        std::max(time + problem.Duration(vehicle, nodes[i - 1], node), problem.open(node));
    warp += std::max(0.0, arrival - problem.close(node));
    arrival = std::min(arrival, problem.close(node));
    time = arrival + problem.service(node);
  }
  return nodes.size() == 2 ? 0 : warp;
}

double PlainCost(const PenalisedRoutes& routes) {
  const Problem& problem = routes.problem();
  double cost = 0;
  for (const PenalisedRoutes::Route& route : routes.routes()) {
    double load = 0;
    for (const NodeIndex node : route.nodes) load += problem.delivered(node)[0];
    for (size_t i = 0; i + 1 < route.nodes.size(); ++i) {
      cost += problem.Distance(problem.vehicle(0), route.nodes[i], route.nodes[i + 1]);
    }
    cost += routes.penalties().load * std::max(0.0, load - problem.vehicle(0).capacity[0]);
    if (problem.timed()) cost += routes.penalties().time * DrivenWarp(problem, route.nodes);
  }
  return cost;
}

// The same of routes of all types, which penalised_search_test.cc compares with the evaluator.
double CostAnew(const PenalisedRoutes& routes) {
  PenalisedRoutes fresh(routes.problem());
  fresh.SetPenalties(routes.penalties());
  std::vector<int32_t> used(routes.problem().vehicles().size(), 0);
  for (int32_t slot = 0; slot < routes.slots(); ++slot) {
    const int32_t type = routes.route(slot).type;
    if (routes.route(slot).empty()) continue;
    fresh.SetCustomers(fresh.FirstOf(type) + used[type]++, routes.CustomersOf(slot));
  }
  return fresh.PenalisedCost();
}

void ExpectEachServedOnce(const Problem& problem,
                          const std::vector<std::vector<NodeIndex>>& routes) {
  std::vector<int> served(problem.size(), 0);
  for (const auto& route : routes) {
    for (const NodeIndex node : route) ++served[node];
  }
  const auto first = served.begin() + problem.depots();
  EXPECT_EQ(std::count(served.begin(), first, 0), problem.depots());
  EXPECT_EQ(std::count(first, served.end(), 1), problem.size() - problem.depots());
}

std::vector<std::vector<NodeIndex>> CustomersOf(const Offspring& child) {
  std::vector<std::vector<NodeIndex>> routes;
  for (const Offspring::Route& route : child.routes) routes.push_back(route.customers);
  return routes;
}

// Of one type, whose vehicles may be many.
const std::vector<int32_t> kTwelve = {12};

class MovesTest : public testing::TestWithParam<int> {};

TEST_P(MovesTest, AddWhatTheySayThatTheyAdd) {
  FastRandom random(11);
  int64_t moves = 0;
  for (uint64_t seed = 1; seed <= 25; ++seed) {
    const Instance instance = Make(GetParam(), seed);
    const Problem problem = Problem::Create(instance, {});
    PenalisedRoutes routes(problem, kTwelve);
    ASSERT_TRUE(routes.alike());
    PenalisedLocalSearch search(routes, random);
    for (int round = 0; round < 20; ++round) {
      routes.SetPenalties({.load = 20 * random.Unit(), .time = 3 * random.Unit()});
      LoadRandom(routes, random, search.Restart() + 1);
      const double before = PlainCost(routes);
      const int64_t first = routes.changes();
      ASSERT_TRUE(search.Descend({}));
      moves += (routes.changes() - first) / 2;
      EXPECT_LT(search.added(), 0);
      ASSERT_NEAR(before + search.added(), PlainCost(routes), 1e-6 * before);
      ASSERT_NEAR(routes.PenalisedCost(), PlainCost(routes), 1e-6 * before);
      const double local_optimum = PlainCost(routes);
      routes.SetPenalties({.load = 100, .time = 30});
      const double dearer = PlainCost(routes);
      ASSERT_TRUE(search.Repair({}));
      ASSERT_NEAR(dearer + search.added(), PlainCost(routes), 1e-6 * before);
      ASSERT_LE(local_optimum, before);
    }
  }
  EXPECT_GT(moves, 20'000);
}

TEST_P(MovesTest, LeaveNothingToImproveAndNobodyOut) {
  const Instance instance = Make(GetParam(), 3);
  const Problem problem = Problem::Create(instance, {});
  FastRandom random(5);
  PenalisedRoutes routes(problem, kTwelve);
  PenalisedLocalSearch search(routes, random);
  routes.SetPenalties({.load = 10, .time = 2});
  LoadRandom(routes, random, search.Restart() + 1);
  ASSERT_TRUE(search.Descend({}));
  std::vector<std::vector<NodeIndex>> parts;
  for (int32_t slot = 0; slot < routes.slots(); ++slot) {
    const std::vector<NodeIndex>& nodes = routes.route(slot).nodes;
    parts.emplace_back(nodes.begin() + 1, nodes.end() - 1);
    for (size_t i = 1; i + 1 < nodes.size(); ++i) {
      EXPECT_EQ(routes.visit(nodes[i]).route, slot);
      EXPECT_EQ(routes.visit(nodes[i]).position, i);
      EXPECT_EQ(routes.visit(nodes[i]).previous, nodes[i - 1]);
      EXPECT_EQ(routes.visit(nodes[i]).next, nodes[i + 1]);
    }
  }
  ExpectEachServedOnce(problem, parts);
  const double optimum = routes.PenalisedCost();
  ASSERT_TRUE(search.Descend({}));
  EXPECT_EQ(routes.PenalisedCost(), optimum);
}

TEST_P(MovesTest, CrossoversServeEveryCustomerOnce) {
  const Instance instance = Make(GetParam(), 4);
  const Problem problem = Problem::Create(instance, {});
  FastRandom random(5);
  PenalisedRoutes routes(problem, kTwelve);
  routes.SetPenalties({.load = 5, .time = 1});
  PenalisedExchange exchange(routes, random);
  for (int round = 0; round < 200; ++round) {
    LoadRandom(routes, random, 1);
    const Individual a = MakeIndividual(routes);
    LoadRandom(routes, random, 1);
    const Individual b = MakeIndividual(routes);
    const Offspring child = exchange.Cross(a, b);
    ExpectEachServedOnce(problem, CustomersOf(child));
    EXPECT_LE(child.routes.size(), 12);
    for (const Offspring::Route& route : child.routes) {
      if (!route.is_settled) continue;
      bool from_a = false;
      for (int32_t r = 0; r < a.num_routes(); ++r) {
        from_a |= std::ranges::equal(a.Route(r), route.customers);
      }
      EXPECT_TRUE(from_a);
    }
    ExpectEachServedOnce(problem, {CrossTours(a, b, random)});
  }
}

INSTANTIATE_TEST_SUITE_P(ExactAsymmetricTimedRoundedTimedAsymmetric, MovesTest,
                         testing::Range(0, 5));

const std::vector<std::vector<Feature>> kUnlike = {
    {Feature::kVehicleTypes},
    {Feature::kVehicleTypes, Feature::kObjective},
    {Feature::kSeveralDepots, Feature::kMaxStops},
    {Feature::kVehicleTypes, Feature::kSkills, Feature::kShift},
    {Feature::kMaxDistance, Feature::kMaxDuration, Feature::kOpenEnd},
    {Feature::kLoadDimensions, Feature::kEndDepot, Feature::kOvertime},
    {Feature::kVehicleTypes, Feature::kVehicleMatrix},
    {Feature::kSeveralDepots, Feature::kVehicleTypes, Feature::kObjective, Feature::kSkills},
    {Feature::kPrizes, Feature::kVehicleTypes},
    {Feature::kPrizes, Feature::kSeveralDepots, Feature::kMaxDuration},
};

TEST(UnlikeMovesTest, AddWhatTheySayThatTheyAdd) {
  FastRandom random(11);
  for (const auto& features : kUnlike) {
    int64_t moves = 0;
    for (uint64_t seed = 1; seed <= 15; ++seed) {
      const Problem problem =
          Problem::Create(test::MakeFeatureInstance(
                              {.customers = 40, .seed = seed, .features = features, .vehicles = 5}),
                          {});
      PenalisedRoutes routes(problem);
      PenalisedLocalSearch search(routes, random);
      for (int round = 0; round < 10; ++round) {
        routes.SetPenalties(
            {.load = 40 * random.Unit(), .time = 3 * random.Unit(), .distance = 3 * random.Unit()});
        LoadRandom(routes, random, search.Restart() + 1);
        const double before = CostAnew(routes);
        const int64_t first = routes.changes();
        ASSERT_TRUE(search.Descend({}));
        moves += routes.changes() - first;
        ASSERT_NEAR(before + search.added(), CostAnew(routes), 1e-6 * before);
        ASSERT_NEAR(routes.PenalisedCost(), CostAnew(routes), 1e-6 * before);
        std::vector<char> served(problem.size(), 0);
        for (int32_t slot = 0; slot < routes.slots(); ++slot) {
          ASSERT_TRUE(routes.Allowed(slot, routes.CustomersOf(slot)));
          for (const NodeIndex node : routes.CustomersOf(slot)) ++served[node];
        }
        for (const NodeIndex node : routes.customers()) {
          ASSERT_TRUE(served[node] == 1 || (served[node] == 0 && routes.optional(node)));
        }
      }
    }
    EXPECT_GT(moves, 5'000);
  }
}

TEST(UnlikeCrossoverTest, KeepsToTheVehiclesAndWhatTheyMayServe) {
  FastRandom random(5);
  for (const auto& features : kUnlike) {
    const Problem problem = Problem::Create(
        test::MakeFeatureInstance({.customers = 40, .features = features, .vehicles = 3}), {});
    PenalisedRoutes routes(problem);
    routes.SetPenalties({.load = 5, .time = 1, .distance = 1});
    PenalisedExchange exchange(routes, random);
    for (int round = 0; round < 100; ++round) {
      LoadRandom(routes, random, 1);
      const Individual a = MakeIndividual(routes);
      LoadRandom(routes, random, 1);
      const Offspring child = exchange.Cross(a, MakeIndividual(routes));
      std::vector<int32_t> used(problem.vehicles().size(), 0);
      std::vector<char> served(problem.size(), 0);
      for (const Offspring::Route& route : child.routes) {
        ++used[route.type];
        EXPECT_TRUE(routes.Allowed(routes.FirstOf(route.type), route.customers));
        for (const NodeIndex node : route.customers) ++served[node];
      }
      for (size_t type = 0; type < used.size(); ++type) {
        EXPECT_LE(used[type], problem.vehicle(static_cast<int32_t>(type)).count);
      }
      for (const NodeIndex node : routes.customers()) {
        EXPECT_TRUE(served[node] == 1 || (served[node] == 0 && routes.optional(node)));
      }
    }
  }
}

// The least cost over all ways to cut the tour into at most `max_routes` routes.
double BestCut(const Problem& problem, const Penalties& penalties,
               const std::vector<NodeIndex>& tour, int32_t max_routes) {
  double best = std::numeric_limits<double>::infinity();
  const auto size = static_cast<int32_t>(tour.size());
  for (uint32_t cuts = 0; cuts < 1U << (tour.size() - 1); ++cuts) {
    double cost = 0;
    int32_t routes = 0;
    std::vector<NodeIndex> nodes = {0};
    double load = 0;
    for (int32_t i = 0; i < size; ++i) {
      nodes.push_back(tour[i]);
      load += problem.delivered(tour[i])[0];
      if (i + 1 < size && (cuts >> i & 1U) == 0) continue;
      nodes.push_back(0);
      const Vehicle& vehicle = problem.vehicle(0);
      for (size_t k = 0; k + 1 < nodes.size(); ++k) {
        cost += problem.Distance(vehicle, nodes[k], nodes[k + 1]);
      }
      cost += penalties.load * std::max(0.0, load - vehicle.capacity[0]);
      if (load > 1.5 * vehicle.capacity[0]) cost = std::numeric_limits<double>::infinity();
      ++routes;
      nodes = {0};
      load = 0;
    }
    if (routes <= max_routes) best = std::min(best, cost);
  }
  return best;
}

TEST(SplitTest, CutsAsWellAsTryingEveryCut) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    const Instance instance =
        AnInstance().WithCustomers(8).Seed(seed).RandomDemands().Capacity(14).Build();
    const Problem problem = Problem::Create(instance, {});
    FastRandom random(seed);
    std::vector<NodeIndex> tour(8);
    std::iota(tour.begin(), tour.end(), 1);
    random.Shuffle(std::span<NodeIndex>(tour));
    const Penalties penalties = {.load = 10 * random.Unit()};
    for (const int32_t max_routes : {2, 3, 4, 8}) {
      PenalisedRoutes routes(problem, {&max_routes, 1});
      routes.SetPenalties(penalties);
      const std::vector<int32_t> ends = SplitTour(routes, tour);
      const double best = BestCut(problem, penalties, tour, max_routes);
      ASSERT_EQ(ends.empty(), best == std::numeric_limits<double>::infinity());
      if (ends.empty()) continue;
      EXPECT_LE(ends.size(), max_routes);
      int32_t begin = 0;
      for (size_t index = 0; index < ends.size(); ++index) {
        routes.SetCustomers(static_cast<int32_t>(index),
                            std::span(tour).subspan(begin, ends[index] - begin));
        begin = ends[index];
      }
      EXPECT_EQ(begin, 8);
      EXPECT_NEAR(routes.PenalisedCost(), best, 1e-9 * best);
    }
  }
}

}  // namespace
}  // namespace vrp
