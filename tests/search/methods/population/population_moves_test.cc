// The population search's moves, Split and crossovers, against plain recomputation.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/search/methods/population/crossover.h"
#include "core/search/methods/population/granular_search.h"
#include "core/search/methods/population/split.h"
#include "core/search/route/plain_penalised_routes.h"
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

// All customers in a random order, cut into routes at random; loads and windows do not matter.
void LoadRandom(PlainPenalisedRoutes& routes, FastRandom& random, int64_t when) {
  std::vector<NodeIndex> order(routes.problem().size() - 1);
  std::iota(order.begin(), order.end(), 1);
  random.Shuffle(std::span<NodeIndex>(order));
  std::vector<std::vector<NodeIndex>> parts(routes.num_routes());
  for (const NodeIndex node : order) parts[random.Below(routes.num_routes() - 1)].push_back(node);
  routes.Clear();
  for (int32_t index = 0; index < routes.num_routes(); ++index) {
    std::vector<NodeIndex> nodes = {0};
    nodes.insert(nodes.end(), parts[index].begin(), parts[index].end());
    nodes.push_back(0);
    routes.SetRoute(index, nodes, when);
  }
}

// Drives the route as a vehicle that goes back in time wherever it is late. It may leave the depot
// at any time, but leaving at once is never later.
double DrivenWarp(const Problem& problem, const std::vector<NodeIndex>& nodes) {
  double warp = 0;
  double time = problem.DepartureAfter(0, problem.open(0));
  for (size_t i = 1; i < nodes.size(); ++i) {
    const NodeIndex node = nodes[i];
    double arrival = std::max(time + problem.Duration(nodes[i - 1], node), problem.open(node));
    warp += std::max(0.0, arrival - problem.close(node));
    arrival = std::min(arrival, problem.close(node));
    time = arrival + problem.service(node);
  }
  return nodes.size() == 2 ? 0 : warp;
}

double PlainCost(const PlainPenalisedRoutes& routes) {
  const Problem& problem = routes.problem();
  double cost = 0;
  for (int32_t index = 0; index < routes.num_routes(); ++index) {
    const std::vector<NodeIndex>& nodes = routes.route(index).nodes;
    double load = 0;
    for (const NodeIndex node : nodes) load += problem.demand(node);
    cost += problem.SequenceDistance(nodes) +
            routes.penalties().load * std::max(0.0, load - problem.capacity());
    if (problem.timed()) cost += routes.penalties().time * DrivenWarp(problem, nodes);
  }
  return cost;
}

void ExpectEachServedOnce(const Problem& problem,
                          const std::vector<std::vector<NodeIndex>>& routes) {
  std::vector<int> served(problem.size(), 0);
  for (const auto& route : routes) {
    for (const NodeIndex node : route) ++served[node];
  }
  EXPECT_EQ(served[0], 0);
  EXPECT_EQ(std::count(served.begin() + 1, served.end(), 1), problem.size() - 1);
}

class MovesTest : public testing::TestWithParam<int> {};

TEST_P(MovesTest, AddWhatTheySayThatTheyAdd) {
  FastRandom random(11);
  int64_t moves = 0;
  for (uint64_t seed = 1; seed <= 25; ++seed) {
    const Instance instance = Make(GetParam(), seed);
    const Problem problem = Problem::Create(instance, {});
    PlainPenalisedRoutes routes(problem, 12);
    GranularSearch search(routes, random);
    for (int round = 0; round < 20; ++round) {
      routes.SetPenalties({.load = 20 * random.Unit(), .time = 3 * random.Unit()});
      LoadRandom(routes, random, search.Restart() + 1);
      const double before = PlainCost(routes);
      const int64_t first = search.moves();
      ASSERT_TRUE(search.Descend({}));
      moves += search.moves() - first;
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
  PlainPenalisedRoutes routes(problem, 12);
  GranularSearch search(routes, random);
  routes.SetPenalties({.load = 10, .time = 2});
  LoadRandom(routes, random, search.Restart() + 1);
  ASSERT_TRUE(search.Descend({}));
  std::vector<std::vector<NodeIndex>> parts;
  for (int32_t index = 0; index < routes.num_routes(); ++index) {
    const std::vector<NodeIndex>& nodes = routes.route(index).nodes;
    parts.emplace_back(nodes.begin() + 1, nodes.end() - 1);
    for (size_t i = 1; i + 1 < nodes.size(); ++i) {
      EXPECT_EQ(routes.visit(nodes[i]).route, index);
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
  RouteExchange exchange(problem, random);
  PlainPenalisedRoutes routes(problem, 12);
  for (int round = 0; round < 200; ++round) {
    LoadRandom(routes, random, 1);
    const Individual a = MakeIndividual(routes);
    LoadRandom(routes, random, 1);
    const Individual b = MakeIndividual(routes);
    const Offspring child = exchange.Cross(a, b, {.load = 5, .time = 1}, 12);
    ExpectEachServedOnce(problem, child.routes);
    EXPECT_LE(child.routes.size(), 12);
    ASSERT_EQ(child.routes.size(), child.is_settled.size());
    for (size_t index = 0; index < child.routes.size(); ++index) {
      if (!child.is_settled[index]) continue;
      bool from_a = false;
      for (int32_t r = 0; r < a.num_routes(); ++r) {
        from_a |= std::ranges::equal(a.Route(r), child.routes[index]);
      }
      EXPECT_TRUE(from_a);
    }
    ExpectEachServedOnce(problem, {CrossTours(a, b, random)});
  }
}

INSTANTIATE_TEST_SUITE_P(ExactAsymmetricTimedRoundedTimedAsymmetric, MovesTest,
                         testing::Range(0, 5));

// The least cost over all ways to cut the tour into at most `max_routes` routes.
double BestCut(const Problem& problem, const Penalties& penalties,
               const std::vector<NodeIndex>& tour, int32_t max_routes) {
  double best = std::numeric_limits<double>::infinity();
  const auto size = static_cast<int32_t>(tour.size());
  for (uint32_t cuts = 0; cuts < 1U << (size - 1); ++cuts) {
    double cost = 0;
    int32_t routes = 0;
    std::vector<NodeIndex> nodes = {0};
    double load = 0;
    for (int32_t i = 0; i < size; ++i) {
      nodes.push_back(tour[i]);
      load += problem.demand(tour[i]);
      if (i + 1 < size && (cuts >> i & 1U) == 0) continue;
      nodes.push_back(0);
      cost += problem.SequenceDistance(nodes) +
              penalties.load * std::max(0.0, load - problem.capacity());
      if (load > 1.5 * problem.capacity()) cost = std::numeric_limits<double>::infinity();
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
      const std::vector<int32_t> ends = SplitTour(problem, penalties, tour, max_routes);
      const double best = BestCut(problem, penalties, tour, max_routes);
      ASSERT_EQ(ends.empty(), best == std::numeric_limits<double>::infinity());
      if (ends.empty()) continue;
      EXPECT_LE(ends.size(), max_routes);
      PlainPenalisedRoutes routes(problem, max_routes);
      routes.SetPenalties(penalties);
      int32_t begin = 0;
      for (size_t index = 0; index < ends.size(); ++index) {
        std::vector<NodeIndex> nodes = {0};
        nodes.insert(nodes.end(), tour.begin() + begin, tour.begin() + ends[index]);
        nodes.push_back(0);
        routes.SetRoute(static_cast<int32_t>(index), nodes, 1);
        begin = ends[index];
      }
      EXPECT_EQ(begin, 8);
      EXPECT_NEAR(routes.PenalisedCost(), best, 1e-9 * best);
    }
  }
}

}  // namespace
}  // namespace vrp
