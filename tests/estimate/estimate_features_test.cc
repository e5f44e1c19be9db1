// Tests the features of estimates.
#include "core/estimate/estimate_features.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/base/random.h"
#include "gtest/gtest.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

EstimateFeatures FeaturesFor(const Instance& instance, const std::vector<NodeIndex>& customers) {
  Subproblem problem;
  EXPECT_TRUE(problem.Choose(instance, customers).ok());
  EstimateFeatures features;
  features.Compute(problem);
  return features;
}

std::vector<NodeIndex> All(const Instance& instance) {
  std::vector<NodeIndex> customers(static_cast<size_t>(instance.num_customers()));
  std::iota(customers.begin(), customers.end(), 1);
  return customers;
}

TEST(EstimateFeaturesTest, PermuteWithTheCustomers) {
  const Instance instance =
      test::AnInstance().WithCustomers(30).RandomDemands().Capacity(40).RandomWindows().Build();
  std::vector<NodeIndex> order = All(instance);
  const EstimateFeatures plain = FeaturesFor(instance, order);
  CounterRandom(5).Shuffle(std::span<NodeIndex>(order));
  const EstimateFeatures permuted = FeaturesFor(instance, order);
  EXPECT_NEAR(plain.plan_cost(), permuted.plan_cost(), 1e-3);
  for (size_t g = 0; g < plain.globals().size(); ++g) {
    EXPECT_NEAR(plain.globals()[g], permuted.globals()[g], 1e-4) << kEstimateGlobals[g];
  }
  for (size_t i = 0; i < order.size(); ++i) {
    for (size_t f = 0; f < kEstimateNodeFeatures.size(); ++f) {
      const auto at = [&](const EstimateFeatures& features, size_t node) {
        return features.node_features()[node * kEstimateNodeInputs + f];
      };
      EXPECT_NEAR(at(permuted, i + 1), at(plain, static_cast<size_t>(order[i])), 1e-4)
          << kEstimateNodeFeatures[f];
    }
  }
}

TEST(EstimateFeaturesTest, AreThoseOfTheChosenCustomersAlone) {
  const Instance instance = test::AnInstance().WithCustomers(12).Build();
  InstanceData data = instance.data();
  data.positions.pop_back();
  data.demands.pop_back();
  data.ids.pop_back();
  std::vector<NodeIndex> chosen = All(instance);
  chosen.pop_back();
  const Instance smaller = *Instance::Create(data);
  const EstimateFeatures subset = FeaturesFor(instance, chosen);
  const EstimateFeatures whole = FeaturesFor(smaller, All(smaller));
  EXPECT_EQ(subset.globals(), whole.globals());
  EXPECT_EQ(subset.node_features(), whole.node_features());
  EXPECT_EQ(subset.pair_features(), whole.pair_features());
}

TEST(EstimateFeaturesTest, TreeOfALineIsItsLength) {
  const Instance instance = test::OnALine().Build();
  const EstimateFeatures features = FeaturesFor(instance, {1, 2, 3});
  EXPECT_NEAR(features.plan_cost(), 60, 1e-3);
  EXPECT_NEAR(features.globals()[1], std::log(30.0 / 60), 1e-5);
}

TEST(EstimateFeaturesTest, TurningKeepsDistancesFromTheDepot) {
  const Instance instance = test::AnInstance().WithCustomers(8).Build();
  EstimateFeatures features = FeaturesFor(instance, All(instance));
  const std::vector<float> before = features.node_features();
  features.Turn(std::cos(1.0F), std::sin(1.0F), true);
  for (size_t i = 1; i <= 8; ++i) {
    const float* const row = &features.node_features()[i * kEstimateNodeInputs];
    EXPECT_NE(row[1], before[i * kEstimateNodeInputs + 1]);
    EXPECT_NEAR(std::hypot(row[1], row[2]), row[3], 1e-5);
  }
}

TEST(EstimateFeaturesTest, AreFinite) {
  const Instance one = test::AnInstance().WithCustomers(1).Build();
  const Instance same = test::AnInstance().At({{0, 0}, {5, 5}, {5, 5}, {5, 5}}).Build();
  const Instance some_at_depot = test::AnInstance().At({{0, 0}, {0, 0}, {0, 0}, {5, 5}}).Build();
  for (const Instance& instance : {one, same, some_at_depot}) {
    const EstimateFeatures features = FeaturesFor(instance, All(instance));
    const auto finite = [](float x) { return std::isfinite(x); };
    EXPECT_TRUE(std::ranges::all_of(features.globals(), finite));
    EXPECT_TRUE(std::ranges::all_of(features.node_features(), finite));
    EXPECT_TRUE(std::ranges::all_of(features.pair_features(), finite));
  }
}

}  // namespace
}  // namespace vrp
