// Instances whose nodes share the rows of a matrix are searched as those that have a row for each.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "core/base/steady_time.h"
#include "core/problem/checker/checker.h"
#include "core/search/model/node_selection.h"
#include "core/search/model/problem.h"
#include "core/search/search.h"

namespace vrp {
namespace {

constexpr int32_t kPlaces = 9;

// Customers at random places; two vehicle types, of which the second drives at its own speed.
InstanceData AtFewPlaces(int32_t customers, uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto matrix = [&] {
    std::vector<double> values(kPlaces * kPlaces);
    for (double& value : values) value = static_cast<double>(random() % 50);
    return values;
  };
  InstanceData data;
  data.distance_matrix = matrix();
  data.duration_matrix = matrix();
  data.vehicles = {{.capacity = 25, .max_duration = 300}, {.capacity = 30, .max_distance = 200}};
  data.vehicles[1].distance_matrix = matrix();
  data.vehicles[1].duration_matrix = matrix();
  data.demands = {0};
  data.matrix_rows = {0};
  for (int32_t i = 0; i < customers; ++i) {
    data.demands.push_back(static_cast<double>(1 + random() % 5));
    data.matrix_rows.push_back(static_cast<int32_t>(random() % kPlaces));
  }
  data.length_matrix = matrix();
  return data;
}

SearchResult SearchBriefly(const Instance& instance) {
  SearchOptions options;
  options.max_iterations = 300;
  options.seed = 1;
  return *Search(instance, options);
}

TEST(MatrixRowsTest, FindTheSamePlansAsAMatrixOfAllNodes) {
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    InstanceData data = AtFewPlaces(60, seed);
    const Instance by_place = *Instance::Create(data);
    ExpandMatrices(data);
    const Instance by_node = *Instance::Create(std::move(data));
    const SearchResult found = SearchBriefly(by_place);
    EXPECT_EQ(found.plan, SearchBriefly(by_node).plan) << seed;
    EXPECT_TRUE(CheckPlan(by_node, found.plan, found.cost).feasible) << seed;
  }
}

TEST(MatrixRowsTest, AreTheSameToEachVehicleOfTheSearch) {
  const InstanceData data = AtFewPlaces(20, 7);
  const Instance instance = *Instance::Create(data);
  const Problem problem = Problem::Create(instance, StopCondition());
  ASSERT_EQ(problem.vehicles().size(), 2u);
  EXPECT_FALSE(problem.one_distance());
  for (int32_t type = 0; type < 2; ++type) {
    const Vehicle& vehicle = problem.vehicle(problem.TypeOf(type));
    for (NodeIndex from = 0; from < problem.size(); ++from) {
      for (NodeIndex to = 0; to < problem.size(); ++to) {
        EXPECT_EQ(problem.Distance(vehicle, from, to),
                  instance.Distance(data.vehicles[type], from, to));
        EXPECT_EQ(problem.Duration(vehicle, from, to),
                  instance.Duration(data.vehicles[type], from, to));
      }
    }
  }
}

TEST(MatrixRowsTest, GiveEachNodeTheSameNeighbours) {
  InstanceData data = AtFewPlaces(200, 5);
  data.kind = ProblemKind::kVrptw;
  data.windows.assign(201, {0, 400});
  for (size_t node = 1; node <= 200; node += 3) data.windows[node] = {50, 60};
  const Problem by_place = Problem::Create(*Instance::Create(data), {});
  ExpandMatrices(data);
  const Problem by_node = Problem::Create(*Instance::Create(std::move(data)), {});
  ASSERT_EQ(by_place.DistanceRow(0), nullptr);
  for (NodeIndex node = 0; node < by_node.size(); ++node) {
    EXPECT_TRUE(std::ranges::equal(by_place.Near(node), by_node.Near(node))) << node;
    EXPECT_TRUE(std::ranges::equal(by_place.Related(node), by_node.Related(node))) << node;
  }
}

TEST(MatrixRowsTest, StayWithTheirNodesInASelection) {
  InstanceData data = AtFewPlaces(200, 3);
  for (VehicleType& type : data.vehicles) type.distance_matrix = type.duration_matrix = {};
  const Instance instance = *Instance::Create(data);
  const std::optional<NodeSelection> selection = InCurveOrder(instance, {});
  ASSERT_TRUE(selection.has_value());
  const Plan plan = SearchBriefly(instance).plan;
  EXPECT_EQ(PlanCost(selection->instance(), selection->ToSelection(plan)),
            PlanCost(instance, plan));
  EXPECT_NE(selection->instance().data().matrix_rows, data.matrix_rows);
}

}  // namespace
}  // namespace vrp
