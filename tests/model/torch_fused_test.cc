// Compares fused passes, which need one launch each, with passes of many operators.
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "core/model/torch/fused.h"
#include "gtest/gtest.h"
#include "tests/model/torch_testing.h"

namespace vrp {
namespace {

using test::BatchOf;
using test::ChoicesOf;
using test::RelativeDifference;
using test::SmallTransformer;
using test::TransformerEngine;
using test::Values;
using test::Variants;
using test::WeighByIndexAndCost;

struct FusedCase {
  std::string name;
  RolloutRequest rollout;
  double label_smoothing = 0;
  GraphTransformerOptions sizes = SmallTransformer();
};

// Returns cases without forced choices.
std::vector<FusedCase> Cases() {
  GraphTransformerOptions batch_norm = SmallTransformer();
  batch_norm.norm = NormKind::kFrozenBatch;
  batch_norm.edge_bias = false;
  return {
      {"Greedy", {.choice = Choice::kGreedy}},
      {"Sampled", {.choice = Choice::kSample, .trajectories = 3, .seed = 9, .stream = 4}},
      {"HighTemperature", {.choice = Choice::kSample, .trajectories = 2, .temperature = 1.8}},
      {"LaterInstances", {.choice = Choice::kSample, .first_instance = int64_t{1} << 33}},
      {"DistinctStarts", {.choice = Choice::kGreedy, .trajectories = 5, .distinct_starts = true}},
      {"BatchNorm", {.choice = Choice::kSample, .trajectories = 2}, 0, batch_norm}};
}

std::unique_ptr<TorchEngine> FusedOrSteppedEngine(const GraphTransformerOptions& sizes,
                                                  bool fused) {
  return TransformerEngine(at::kDouble, sizes, {.fused = fused});
}

// Compares both kinds of passes in double precision, which shows small differences.
void ExpectTheSame(const NetworkBatch& batch, const GradientRequest& request,
                   const GraphTransformerOptions& sizes) {
  const auto fused = FusedOrSteppedEngine(sizes, true);
  const auto stepped = FusedOrSteppedEngine(sizes, false);
  const auto actual = fused->AddGradient(batch, request, WeighByIndexAndCost);
  const auto expected = stepped->AddGradient(batch, request, WeighByIndexAndCost);
  ASSERT_TRUE(actual.ok()) << actual.status();
  ASSERT_TRUE(expected.ok()) << expected.status();
  EXPECT_EQ(ChoicesOf(actual->trajectories), ChoicesOf(expected->trajectories));
  EXPECT_EQ(actual->trajectories.costs, expected->trajectories.costs);
  EXPECT_EQ(actual->trajectories.agreements, expected->trajectories.agreements);
  EXPECT_LT(RelativeDifference(std::span<const double>(expected->trajectories.log_likelihoods),
                               std::span<const double>(actual->trajectories.log_likelihoods)),
            1e-11);
  EXPECT_NEAR(actual->loss, expected->loss, 1e-9 * std::abs(expected->loss) + 1e-12);
  EXPECT_LT(actual->pass_difference, 1e-13);
  EXPECT_LT(RelativeDifference(Values(stepped->tensors().gradient()),
                               Values(fused->tensors().gradient())),
            1e-10);
  double largest = 0;
  for (const double value : Values(fused->tensors().gradient())) {
    largest = std::max(largest, std::abs(value));
  }
  EXPECT_GT(largest, 1e-6);
}

class TorchFusedTest : public testing::TestWithParam<FusedCase> {};

TEST_P(TorchFusedTest, EqualsTheOperatorsInBothPasses) {
  const FusedCase& one = GetParam();
  ExpectTheSame(BatchOf(Variants(), NodeOrder::kAsGiven),
                {.rollout = one.rollout, .label_smoothing = one.label_smoothing}, one.sizes);
}

TEST_P(TorchFusedTest, EqualsTheOperatorsWithoutATsp) {
  const FusedCase& one = GetParam();
  std::vector<Instance> instances = Variants();
  instances.erase(instances.begin() + 1);
  ExpectTheSame(BatchOf(instances, NodeOrder::kAsGiven), {.rollout = one.rollout}, one.sizes);
}

TEST_P(TorchFusedTest, EqualsTheOperatorsWithForcedChoices) {
  const FusedCase& one = GetParam();
  const NetworkBatch batch = BatchOf(Variants(), NodeOrder::kAsGiven);
  const auto chosen = FusedOrSteppedEngine(one.sizes, true)->Run(batch, one.rollout);
  ASSERT_TRUE(chosen.ok()) << chosen.status();
  const std::vector<std::vector<int32_t>> choices = ChoicesOf(*chosen);
  for (const double smoothing : {0.0, 0.2}) {
    ExpectTheSame(batch,
                  {.rollout = {.choice = Choice::kForced,
                               .trajectories = one.rollout.trajectories,
                               .choices = choices},
                   .label_smoothing = smoothing},
                  one.sizes);
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, TorchFusedTest, testing::ValuesIn(Cases()),
                         [](const auto& test) { return test.param.name; });

TEST(TorchFusedErrorsTest, ReturnsTheErrorsOfTheOperators) {
  const NetworkBatch batch =
      BatchOf({Variants()[0], test::AnInstance().WithCustomers(3).MaxDistance(1).Build()},
              NodeOrder::kAsGiven);
  const std::vector<std::vector<int32_t>> choices = {{1, 2, 1}, {1}};
  for (const RolloutRequest& request :
       {RolloutRequest(), RolloutRequest{.choice = Choice::kForced, .choices = choices}}) {
    const auto fused = FusedOrSteppedEngine(SmallTransformer(), true)->Run(batch, request);
    const auto stepped = FusedOrSteppedEngine(SmallTransformer(), false)->Run(batch, request);
    EXPECT_FALSE(stepped.ok());
    EXPECT_EQ(fused.status(), stepped.status());
  }
}

}  // namespace
}  // namespace vrp
