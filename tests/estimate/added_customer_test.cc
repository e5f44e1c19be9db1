// Tests the features of a customer that is added to others.
#include "core/estimate/added_customer.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using testing::HasSubstr;

float FeatureOf(const AddedCustomer::Features& features, std::string_view name) {
  const auto found = std::ranges::find(kAddedFeatures, name);
  EXPECT_NE(found, kAddedFeatures.end()) << name;
  return features[static_cast<size_t>(found - kAddedFeatures.begin())];
}

// Adds the last customer of an instance to the others, and returns a feature in the instance's
// unit.
double LengthOf(const Instance& instance, std::string_view name) {
  std::vector<NodeIndex> base;
  for (NodeIndex i = 1; i + 1 < instance.num_nodes(); ++i) base.push_back(i);
  AddedCustomer added;
  EXPECT_TRUE(added.SetBase(instance, base).ok());
  const auto features = added.Compute(instance.num_nodes() - 1);
  EXPECT_TRUE(features.ok()) << features.status();
  return added.unit() * static_cast<double>(FeatureOf(*features, name));
}

TEST(AddedCustomerTest, InsertsWhereItCostsLeast) {
  // A route around a square; the new one lies beside its second leg.
  const Instance square =
      test::AnInstance().At({{0, 0}, {0, 10}, {10, 10}, {10, 0}, {5, 12}}).Build();
  EXPECT_NEAR(LengthOf(square, "insertion"), 2 * std::hypot(5, 2) - 10, 1e-3);
  EXPECT_NEAR(LengthOf(square, "nearest"), std::hypot(5, 2), 1e-3);
  EXPECT_NEAR(LengthOf(square, "depot_distance"), 13, 1e-3);
}

TEST(AddedCustomerTest, TakesANewRouteWhereNoVehicleHasRoom) {
  auto line = test::AnInstance().At({{0, 0}, {10, 0}, {20, 0}, {30, 0}, {15, 4}});
  EXPECT_NEAR(LengthOf(line.Capacity(3).Build(), "insertion"), 2 * std::hypot(15, 4), 1e-3);
}

TEST(AddedCustomerTest, KeepsWindows) {
  const auto insertion = [](TimeWindow window) {
    return LengthOf(*Instance::Create(test::AnInstance()
                                          .At({{0, 0}, {10, 0}, {20, 0}, {30, 0}, {15, 0}})
                                          .Windows({{10, 12}, {20, 22}, {30, 32}, window}, 1000)
                                          .BuildData()),
                    "insertion");
  };
  EXPECT_NEAR(insertion({14, 18}), 0, 1e-3);
  EXPECT_NEAR(insertion({40, 60}), 0, 1e-3) << "on the way back";
  EXPECT_NEAR(insertion({23, 26}), 30, 1e-3) << "neither before the second one nor after the third";
}

TEST(AddedCustomerTest, DoesNotDependOnTheOrderOfTheBase) {
  const Instance instance = test::AnInstance().WithCustomers(40).RandomDemands().Build();
  std::vector<NodeIndex> base;
  for (NodeIndex i = 2; i <= 40; ++i) base.push_back(i);
  AddedCustomer added;
  ASSERT_TRUE(added.SetBase(instance, base).ok());
  const auto features = added.Compute(1);
  std::ranges::reverse(base);
  ASSERT_TRUE(added.SetBase(instance, base).ok());
  const auto again = added.Compute(1);
  for (size_t k = 0; k < features->size(); ++k) EXPECT_NEAR((*features)[k], (*again)[k], 1e-3);
}

TEST(AddedCustomerTest, RefusesWhatCannotBeAdded) {
  const Instance instance = test::AnInstance().WithCustomers(4).Build();
  AddedCustomer added;
  EXPECT_FALSE(added.SetBase(instance, {}).ok());
  const std::vector<NodeIndex> base = {1, 2};
  ASSERT_TRUE(added.SetBase(instance, base).ok());
  EXPECT_THAT(added.Compute(2).status().message(), HasSubstr("chosen twice"));
  EXPECT_THAT(added.Compute(9).status().message(), HasSubstr("got node 9"));
  EXPECT_TRUE(added.Compute(3).ok());
  const Instance at_depot = test::AnInstance().At({{1, 1}, {1, 1}, {1, 1}}).Build();
  const std::vector<NodeIndex> first = {1};
  ASSERT_TRUE(added.SetBase(at_depot, first).ok());
  EXPECT_THAT(added.Compute(2).status().message(), HasSubstr("at the depot"));
}

}  // namespace
}  // namespace vrp
