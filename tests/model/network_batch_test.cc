#include "core/model/policy/network_batch.h"

#include <algorithm>
#include <string>

#include "core/problem/checker/checker.h"
#include "gtest/gtest.h"
#include "tests/model/small_networks.h"
#include "tests/testing/instance_builder.h"
#include "tests/testing/random_plan.h"

namespace vrp {
namespace {

using test::AnInstance;
using test::BatchOf;

float Feature(const NetworkBatch& batch, int32_t row, std::string_view name) {
  const auto found = std::find(kNodeFeatureNames.begin(), kNodeFeatureNames.end(), name);
  EXPECT_NE(found, kNodeFeatureNames.end()) << name;
  return batch.features[static_cast<size_t>(row * kNodeFeatures) +
                        static_cast<size_t>(found - kNodeFeatureNames.begin())];
}

TEST(NetworkBatchTest, ConcatenatesInstancesOfDifferentSizes) {
  const NetworkBatch batch = BatchOf(
      {AnInstance().WithCustomers(4).Build(), AnInstance().WithCustomers(7).Seed(2).Build()});
  EXPECT_EQ(batch.first_rows, (std::vector<int32_t>{0, 5, 13}));
  EXPECT_EQ(batch.longest(), 8);
  EXPECT_EQ(batch.features.size(), 13u * kNodeFeatures);
  EXPECT_EQ(batch.problems[1].nodes, 8);
}

TEST(NetworkBatchTest, ScalesCoordinatesByOneFactorIntoTheUnitSquare) {
  const NetworkBatch batch = BatchOf({AnInstance().At({{100, 50}, {300, 50}, {200, 100}}).Build()});
  EXPECT_EQ(batch.problems[0].scale, 200);
  EXPECT_FLOAT_EQ(Feature(batch, 1, "x"), 1);
  EXPECT_FLOAT_EQ(Feature(batch, 2, "x"), 0.5);
  EXPECT_FLOAT_EQ(Feature(batch, 2, "y"), 0.25);
  EXPECT_FLOAT_EQ(Feature(batch, 1, "from_depot"), 1);
}

TEST(NetworkBatchTest, ScalesDemandsByCapacityAndTimesByHorizon) {
  const NetworkBatch batch = BatchOf({AnInstance()
                                          .At({{0, 0}, {1, 1}})
                                          .Demands({5})
                                          .Capacity(20)
                                          .Windows({{25, 50}}, 100)
                                          .Service(10)
                                          .Build()});
  EXPECT_EQ(Feature(batch, 1, "demand"), 0.25f);
  EXPECT_EQ(Feature(batch, 1, "window_open"), 0.25f);
  EXPECT_EQ(Feature(batch, 1, "window_close"), 0.5f);
  EXPECT_FLOAT_EQ(Feature(batch, 1, "service"), 0.1f);
}

TEST(NetworkBatchTest, UsesTheWholeHorizonWithoutWindows) {
  const NetworkBatch batch = BatchOf({AnInstance().Build()});
  EXPECT_EQ(Feature(batch, 1, "window_open"), 0);
  EXPECT_EQ(Feature(batch, 1, "window_close"), 1);
}

TEST(NetworkBatchTest, MarksOpenRoutesAndLimitsAtEveryNode) {
  const NetworkBatch batch =
      BatchOf({AnInstance().At({{0, 0}, {0, 2}, {2, 0}}).MaxDistance(8).OpenEnd().Build()});
  for (int32_t row = 0; row < 3; ++row) {
    EXPECT_EQ(Feature(batch, row, "open_routes"), 1);
    EXPECT_EQ(Feature(batch, row, "limit_share"), 0.25f);
  }
  EXPECT_TRUE(batch.problems[0].open_routes);
  EXPECT_EQ(batch.problems[0].distance_limit, 8);
}

TEST(NetworkBatchTest, MarksTheDepotButNoCityOfATsp) {
  EXPECT_EQ(Feature(BatchOf({AnInstance().Build()}), 0, "is_depot"), 1);
  EXPECT_EQ(Feature(BatchOf({AnInstance().Kind(ProblemKind::kTsp).Build()}), 0, "is_depot"), 0);
}

TEST(NetworkBatchTest, AcceptsAMatrixWithoutCoordinates) {
  const Instance instance = AnInstance().WithCustomers(4).ExplicitMatrix(0.3).Build();
  const NetworkBatch batch = BatchOf({instance});
  double longest = 0;
  for (NodeIndex i = 0; i < 5; ++i) {
    for (NodeIndex j = 0; j < 5; ++j) longest = std::max(longest, instance.Distance(i, j));
  }
  EXPECT_EQ(batch.problems[0].scale, longest);
  EXPECT_FLOAT_EQ(Feature(batch, 2, "from_depot"),
                  static_cast<float>(instance.Distance(0, 2) / longest));
  EXPECT_FLOAT_EQ(Feature(batch, 2, "to_depot"),
                  static_cast<float>(instance.Distance(2, 0) / longest));
  EXPECT_EQ(batch.problems[0].distances[0 * 5 + 2], instance.Distance(0, 2));
}

TEST(NetworkBatchTest, OrderByAngleDoesNotDependOnTheGivenOrder) {
  const Instance instance = AnInstance().WithCustomers(9).RandomDemands().Build();
  InstanceData data = instance.data();
  std::reverse(data.positions.begin() + 1, data.positions.end());
  std::reverse(data.demands.begin() + 1, data.demands.end());
  const NetworkBatch one = BatchOf({instance}, NodeOrder::kByAngle);
  const NetworkBatch other = BatchOf({*Instance::Create(data)}, NodeOrder::kByAngle);
  EXPECT_EQ(one.features, other.features);
  for (size_t k = 1; k < one.orders.size(); ++k) EXPECT_EQ(other.orders[k], 10 - one.orders[k]);
}

TEST(NetworkBatchTest, AcceptsCoincidentPoints) {
  const NetworkBatch batch = BatchOf({AnInstance().At({{3, 3}, {3, 3}, {3, 3}}).Build()});
  EXPECT_EQ(batch.problems[0].scale, 1);
  EXPECT_EQ(Feature(batch, 1, "from_depot"), 0);
}

TEST(NetworkBatchTest, NamesUnsupportedFeatures) {
  EXPECT_TRUE(BatchSupports(AnInstance().Build(), NodeOrder::kByAngle).ok());
  const Instance matrix = AnInstance().ExplicitMatrix().Build();
  EXPECT_TRUE(BatchSupports(matrix, NodeOrder::kAsGiven).ok());
  const absl::Status status = BatchSupports(matrix, NodeOrder::kByAngle);
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_NE(std::string(status.message()).find("distance_matrix"), std::string::npos);
}

class ChoicesTest : public testing::TestWithParam<NodeOrder> {};

TEST_P(ChoicesTest, ConvertBackToTheirPlan) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const Instance instance = AnInstance().WithCustomers(12).Seed(seed).RandomDemands().Build();
    const NetworkBatch batch = BatchOf({instance}, GetParam());
    const Plan plan = test::RandomFeasiblePlan(instance, seed);
    const Plan back = ChoicesToPlan(batch, 0, PlanChoices(batch, 0, plan));
    EXPECT_EQ(back.size(), plan.size());
    EXPECT_TRUE(CheckPlan(instance, back, CheckPlan(instance, plan).cost).feasible);
  }
}

TEST_P(ChoicesTest, ConvertBackToTheTourOfATsp) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const Instance instance =
        AnInstance().Kind(ProblemKind::kTsp).WithCustomers(8).Seed(seed).Build();
    const NetworkBatch batch = BatchOf({instance}, GetParam());
    const Plan plan = test::RandomFeasiblePlan(instance, seed);
    std::vector<int32_t> choices = PlanChoices(batch, 0, plan);
    ASSERT_EQ(choices.size(), 9u);
    std::rotate(choices.begin(), choices.begin() + 4,
                choices.end());  // the same tour, started at another city
    const Plan back = ChoicesToPlan(batch, 0, choices);
    EXPECT_TRUE(CheckPlan(instance, back, CheckPlan(instance, plan).cost).feasible);
  }
}

TEST_P(ChoicesTest, AreEqualForEqualPlans) {
  const Instance instance = AnInstance().WithCustomers(10).RandomDemands().Build();
  const NetworkBatch batch = BatchOf({instance}, GetParam());
  Plan plan = test::RandomFeasiblePlan(instance, 3);
  const std::vector<int32_t> choices = PlanChoices(batch, 0, plan);
  std::reverse(plan.begin(), plan.end());
  for (PlannedRoute& route : plan) std::reverse(route.customers.begin(), route.customers.end());
  EXPECT_EQ(PlanChoices(batch, 0, plan), choices);
}

TEST(ChoicesTest, KeepTheDirectionOfRoutesWithADurationMatrix) {
  // The route takes 30 from customer 2 to 1, but 300 from 1 to 2.
  InstanceData data = AnInstance().At({{0, 0}, {10, 0}, {20, 0}}).MaxDuration(100).BuildData();
  data.duration_matrix = {0, 10, 10, 10, 0, 300, 10, 10, 0};
  const Instance instance = *Instance::Create(data);
  const Plan plan = {{.customers = {2, 1}}};
  ASSERT_TRUE(CheckPlan(instance, plan).feasible);
  const NetworkBatch batch = BatchOf({instance});
  EXPECT_EQ(ChoicesToPlan(batch, 0, PlanChoices(batch, 0, plan)), plan);
}

INSTANTIATE_TEST_SUITE_P(Orders, ChoicesTest,
                         testing::Values(NodeOrder::kAsGiven, NodeOrder::kByAngle));

}  // namespace
}  // namespace vrp
