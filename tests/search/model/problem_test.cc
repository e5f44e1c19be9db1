#include "core/search/model/problem.h"

#include <gtest/gtest.h>

#include "core/search/model/fast_random.h"
#include "core/search/model/route_evaluator.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using test::AnInstance;

// A plain instance with windows and services.
Instance PlainWithWindows(bool matrix) {
  auto builder = AnInstance().WithCustomers(60).RandomDemands().Capacity(25).RandomWindows();
  InstanceData data = matrix ? builder.ExplicitMatrix(0.5).BuildData() : builder.BuildData();
  data.services.assign(61, 3);
  data.services[0] = 0;
  return *Instance::Create(std::move(data));
}

TEST(ProblemTest, JudgesRoutesOfPlainProblemsAsTheEvaluatorDoes) {
  for (const bool matrix : {false, true}) {
    const Problem problem = Problem::Create(PlainWithWindows(matrix), {});
    ASSERT_TRUE(problem.plain());
    const Vehicle& vehicle = problem.vehicle(0);
    RouteEvaluator evaluator(problem);
    FastRandom random(1);
    int feasible = 0;
    for (int i = 0; i < 2000; ++i) {
      std::vector<NodeIndex> customers(problem.size() - 1);
      for (NodeIndex node = 1; node < problem.size(); ++node) customers[node - 1] = node;
      random.Shuffle(std::span(customers));
      customers.resize(random.Between(1, 4));
      const auto nodes = WithEnds(vehicle, customers);
      const RouteValue value = evaluator.Evaluate(vehicle, nodes);
      EXPECT_EQ(problem.RouteFeasible(customers), value.feasible);
      EXPECT_EQ(problem.RouteFeasible(std::span(nodes).subspan(1, nodes.size() - 2)),
                value.feasible);
      if (!value.feasible) continue;
      EXPECT_EQ(problem.SequenceDistance(nodes), value.distance);
      ++feasible;
    }
    EXPECT_GT(feasible, 50);
    EXPECT_LT(feasible, 1950);
  }
}

TEST(ProblemTest, HasTheWaysOfTheFirstVehicleBetweenNodes) {
  for (const bool matrix : {false, true}) {
    const Problem problem = Problem::Create(PlainWithWindows(matrix), {});
    EXPECT_EQ(problem.symmetric(), !matrix);
    const Vehicle& vehicle = problem.vehicle(0);
    for (NodeIndex from = 0; from < problem.size(); ++from) {
      for (NodeIndex to = 0; to < problem.size(); ++to) {
        EXPECT_EQ(problem.Distance(from, to), problem.Distance(vehicle, from, to));
        EXPECT_EQ(problem.Duration(from, to), problem.Duration(vehicle, from, to));
        EXPECT_EQ(problem.DistanceRow(from)[to], problem.Distance(from, to));
      }
    }
  }
}

TEST(ProblemTest, LeavesOutWhomNoRouteCanServe) {
  const Problem problem = Problem::Create(
      AnInstance().At({{0, 0}, {1, 0}, {2, 0}}).Demands({4, 12}).Capacity(10).Build(), {});
  EXPECT_TRUE(problem.Servable(1));
  EXPECT_FALSE(problem.Servable(2));
  EXPECT_FALSE(problem.Servable(0));
  EXPECT_EQ(problem.num_servable(), 1);
  EXPECT_EQ(problem.ExcessLoad(12), 2);
  EXPECT_EQ(problem.ExcessLoad(10), 0);
}

TEST(ProblemTest, ListsTheDepotOfASymmetricTspOnly) {
  const test::InstanceBuilder tsp = AnInstance().Kind(ProblemKind::kTsp).WithCustomers(20);
  const Problem symmetric = Problem::Create(test::InstanceBuilder(tsp).Build(), {});
  EXPECT_TRUE(symmetric.tour_only());
  EXPECT_EQ(symmetric.max_routes(), 1);
  EXPECT_EQ(std::ssize(symmetric.Near(3)), Problem::kListedTour);
  const Problem asymmetric =
      Problem::Create(test::InstanceBuilder(tsp).ExplicitMatrix(0.5).Build(), {});
  EXPECT_TRUE(asymmetric.single_tour());
  EXPECT_FALSE(asymmetric.tour_only());
  for (const NodeIndex other : asymmetric.Near(3)) EXPECT_NE(other, 0);
}

TEST(ProblemTest, FollowsSamplesWithFeaturesToo) {
  const Instance instance =
      AnInstance().At({{0, 0}, {1, 0}, {5, 0}, {2, 0}}).MaxDistance(100).Build();
  const std::vector<Plan> samples = {{{0, {1, 2, 0, 3}}}};  // it reloads before customer 3
  const Problem problem = Problem::Create(instance, {}, samples);
  ASSERT_FALSE(problem.plain());
  EXPECT_EQ(problem.Near(1).front(), 3);
  EXPECT_EQ(problem.Related(1).front(), 2);
  for (const NodeIndex other : problem.Related(3)) EXPECT_NE(other, 0);
}

}  // namespace
}  // namespace vrp
