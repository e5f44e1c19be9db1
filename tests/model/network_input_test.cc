#include "core/model/network_input.h"

#include <algorithm>

#include "gtest/gtest.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using test::AnInstance;

float Feature(const NetworkInput& input, int32_t node, int32_t feature) {
  return input.features[static_cast<size_t>(node * kStaticFeatures + feature)];
}

TEST(NetworkInputTest, ScalesCoordinatesByOneFactorIntoTheUnitSquare) {
  const Instance instance = AnInstance().At({{100, 50}, {300, 50}, {200, 100}}).Build();
  const NetworkInput input = MakeNetworkInput(instance);
  EXPECT_EQ(input.scale, 200);
  for (int32_t k = 0; k < input.size(); ++k) {
    const Position at = instance.position(input.order[static_cast<size_t>(k)]);
    EXPECT_FLOAT_EQ(Feature(input, k, 0), static_cast<float>((at.x - 100) / 200));
    EXPECT_FLOAT_EQ(Feature(input, k, 1), static_cast<float>((at.y - 50) / 200));
  }
}

TEST(NetworkInputTest, GivesDemandsAsSharesOfTheCapacity) {
  const NetworkInput input =
      MakeNetworkInput(AnInstance().At({{0, 0}, {1, 1}}).Demands({5}).Capacity(20).Build());
  EXPECT_EQ(Feature(input, 0, 2), 0);
  EXPECT_EQ(Feature(input, 1, 2), 0.25f);
}

TEST(NetworkInputTest, GivesTimesAsSharesOfTheHorizon) {
  const NetworkInput input = MakeNetworkInput(
      AnInstance().At({{0, 0}, {1, 1}}).Windows({{25, 50}}, 100).Service(10).Build());
  EXPECT_EQ(input.horizon, 100);
  EXPECT_EQ(Feature(input, 1, 3), 0.25f);
  EXPECT_EQ(Feature(input, 1, 4), 0.5f);
  EXPECT_FLOAT_EQ(Feature(input, 1, 5), 0.1f);
}

TEST(NetworkInputTest, MarksTheDepotWhichComesFirst) {
  const NetworkInput input = MakeNetworkInput(AnInstance().WithCustomers(4).Build());
  EXPECT_EQ(input.order[0], 0);
  for (int32_t k = 0; k < input.size(); ++k) EXPECT_EQ(Feature(input, k, 6), k == 0 ? 1 : 0);
}

TEST(NetworkInputTest, DoesNotDependOnTheOrderOfTheCustomers) {
  const Instance instance = AnInstance().WithCustomers(9).RandomDemands().Build();
  InstanceData data = instance.data();
  std::reverse(data.positions.begin() + 1, data.positions.end());
  std::reverse(data.demands.begin() + 1, data.demands.end());
  const NetworkInput one = MakeNetworkInput(instance);
  const NetworkInput other = MakeNetworkInput(*Instance::Create(data));
  EXPECT_EQ(one.features, other.features);
  for (size_t k = 1; k < one.order.size(); ++k) EXPECT_EQ(other.order[k], 10 - one.order[k]);
}

TEST(NetworkInputTest, TakesPointsThatAllCoincide) {
  const NetworkInput input = MakeNetworkInput(AnInstance().At({{3, 3}, {3, 3}, {3, 3}}).Build());
  EXPECT_EQ(input.scale, 1);
  EXPECT_EQ(input.size(), 3);
}

TEST(NetworkSupportsTest, NamesWhatTheNetworkWasNotMadeFor) {
  EXPECT_TRUE(NetworkSupports(AnInstance().Build()).ok());
  const absl::Status matrix = NetworkSupports(AnInstance().ExplicitMatrix().Build());
  EXPECT_EQ(matrix.code(), absl::StatusCode::kUnimplemented);
  EXPECT_NE(std::string(matrix.message()).find("distance_matrix"), std::string::npos);
  const absl::Status pickups = NetworkSupports(AnInstance().Backhauls({1, 1, 1, 1, 1}).Build());
  EXPECT_NE(std::string(pickups.message()).find("backhaul"), std::string::npos);
  InstanceData data = AnInstance().BuildData();
  data.num_depots = 2;
  const auto depots = Instance::Create(data);
  if (depots.ok()) {
    EXPECT_EQ(NetworkSupports(*depots).code(), absl::StatusCode::kUnimplemented);
  }
}

}  // namespace
}  // namespace vrp
