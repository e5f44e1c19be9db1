#include "core/problem/generate/layouts.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "core/problem/checker/checker.h"
#include "core/problem/generate/generators.h"
#include "gtest/gtest.h"

namespace vrp {
namespace {

class VariantTest : public testing::TestWithParam<std::tuple<ProblemKind, Layout>> {};

TEST_P(VariantTest, AllowsARouteOfItsOwnForEveryCustomer) {
  const auto [kind, layout] = GetParam();
  for (int64_t index = 0; index < 100; ++index) {
    GeneratorOptions options{.kind = kind, .customers = 30, .layout = layout};
    if (kind != ProblemKind::kTsp) {
      options.open_routes = index % 2 == 0;
      options.distance_limit = index % 3 == 0;
      options.backhauls = index % 5 == 0;
    }
    const auto instance = GenerateInstance(options, index);
    ASSERT_TRUE(instance.ok()) << instance.status();
    Plan plan;
    for (NodeIndex i = 1; i < instance->num_nodes(); ++i) {
      if (plan.empty() || kind != ProblemKind::kTsp) plan.emplace_back();
      plan.back().customers.push_back(i);
    }
    const CheckReport report = CheckPlan(*instance, plan);
    for (const Violation& violation : report.violations) ADD_FAILURE() << violation.message;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, VariantTest,
    testing::Combine(testing::Values(ProblemKind::kTsp, ProblemKind::kCvrp, ProblemKind::kVrptw),
                     testing::Values(Layout::kUniform, Layout::kClustered, Layout::kX)));

TEST(VariantTest, AddsAttributesWithoutChangingPositionsAndDemands) {
  const InstanceData plain = GenerateInstanceData({.seed = 5}, 3);
  const InstanceData all = GenerateInstanceData(
      {.seed = 5, .open_routes = true, .distance_limit = true, .backhauls = true}, 3);
  EXPECT_EQ(all.positions, plain.positions);
  EXPECT_TRUE(all.vehicles[0].open_end);
  EXPECT_LT(all.vehicles[0].max_distance, 3);
  int picked_up = 0;
  for (size_t i = 0; i < all.demands.size(); ++i) {
    EXPECT_EQ(all.demands[i] + all.backhauls[i], plain.demands[i]);
    EXPECT_TRUE(all.demands[i] == 0 || all.backhauls[i] == 0);
    picked_up += all.backhauls[i] > 0 ? 1 : 0;
  }
  EXPECT_GT(picked_up, 0);
}

// Returns the mean distance of a customer to its nearest neighbour over 100 instances.
double MeanNeighbourDistance(Layout layout) {
  double sum = 0;
  for (int64_t index = 0; index < 100; ++index) {
    const InstanceData data = GenerateInstanceData({.customers = 50, .layout = layout}, index);
    for (size_t i = 1; i < data.positions.size(); ++i) {
      double nearest = 9;
      for (size_t j = 1; j < data.positions.size(); ++j) {
        if (i == j) continue;
        nearest =
            std::min(nearest, MetricDistance(Metric::kExact, data.positions[i], data.positions[j]));
      }
      sum += nearest / 5000;
    }
  }
  return sum;
}

TEST(LayoutTest, PlacesClusteredCustomersCloserTogether) {
  const double uniform = MeanNeighbourDistance(Layout::kUniform);
  EXPECT_LT(MeanNeighbourDistance(Layout::kClustered), 0.6 * uniform);
  EXPECT_LT(MeanNeighbourDistance(Layout::kX), 0.9 * uniform);
}

TEST(LayoutTest, VariesDepotsDemandsAndCapacitiesInTheXLayout) {
  std::map<double, int> largest;
  int centre = 0;
  int corner = 0;
  for (int64_t index = 0; index < 300; ++index) {
    const InstanceData data = GenerateInstanceData({.customers = 40, .layout = Layout::kX}, index);
    ++largest[*std::max_element(data.demands.begin(), data.demands.end())];
    centre += data.positions[0] == Position{0.5, 0.5} ? 1 : 0;
    corner += data.positions[0] == Position{0, 0} ? 1 : 0;
    double sum = 0;
    for (const double demand : data.demands) sum += demand;
    const double customers_per_route = data.vehicles[0].capacity / (sum / 40);
    EXPECT_GE(customers_per_route, 1);
    EXPECT_LE(customers_per_route, 26);
  }
  EXPECT_NEAR(centre, 100, 35);
  EXPECT_NEAR(corner, 100, 35);
  EXPECT_GT(largest[1], 20);
  EXPECT_GT(largest[10], 40);
  EXPECT_GT(largest[100], 40);
}

TEST(LayoutTest, ParsesItsNames) {
  for (const Layout layout : {Layout::kUniform, Layout::kClustered, Layout::kX}) {
    EXPECT_EQ(LayoutFromName(LayoutName(layout)), layout);
  }
  EXPECT_EQ(LayoutFromName("round"), std::nullopt);
}

TEST(LayoutTest, RefusesAttributesThatExcludeEachOther) {
  EXPECT_FALSE(GenerateInstance({.kind = ProblemKind::kTsp, .open_routes = true}, 0).ok());
  EXPECT_FALSE(GenerateInstance({.capacity = 50, .layout = Layout::kX}, 0).ok());
}

TEST(LayoutTest, KeepsUniformInstancesStable) {
  const Instance cvrp = *GenerateInstance({.customers = 20, .seed = 1234}, 7);
  EXPECT_EQ(cvrp.position(3).x, 0.098124859952965049);
  EXPECT_EQ(cvrp.demand(20), 9);
  const Instance vrptw =
      *GenerateInstance({.kind = ProblemKind::kVrptw, .customers = 20, .seed = 1234}, 7);
  EXPECT_EQ(vrptw.window(20), (TimeWindow{294, 343}));
}

}  // namespace
}  // namespace vrp
