#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <ATen/autocast_mode.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "core/model/torch/precision.h"
#include "gtest/gtest.h"
#include "tests/model/torch_testing.h"

namespace vrp {
namespace {

constexpr LossScaler::Options kQuick = {.first_scale = 8, .growth_interval = 2};

LossScaler MakeScaler() { return LossScaler(kQuick, at::Device(at::kCPU)); }

double ScaleOf(const LossScaler& scaler) { return scaler.ScalarState().at("loss_scale"); }

TEST(LossScalerTest, UnscalesToTheOriginalGradient) {
  LossScaler scaler = MakeScaler();
  const at::Tensor scaled = scaler.Scale(at::tensor({0.5F, -3.0F}));
  EXPECT_TRUE(at::equal(scaled, at::tensor({4.0F, -24.0F})));
  EXPECT_TRUE(scaler.Unscale(scaled));
  EXPECT_TRUE(at::equal(scaled, at::tensor({0.5F, -3.0F})));
}

TEST(LossScalerTest, DoublesTheScaleAfterFiniteStepsAndHalvesItAfterAnOverflow) {
  LossScaler scaler = MakeScaler();
  EXPECT_TRUE(scaler.Unscale(at::ones({3})));
  EXPECT_EQ(ScaleOf(scaler), 8);
  EXPECT_TRUE(scaler.Unscale(at::ones({3})));
  EXPECT_EQ(ScaleOf(scaler), 16);
  EXPECT_FALSE(scaler.Unscale(at::full({3}, std::numeric_limits<float>::infinity())));
  EXPECT_EQ(ScaleOf(scaler), 8);
  EXPECT_TRUE(scaler.Unscale(at::ones({3})));
  EXPECT_EQ(ScaleOf(scaler), 8);  // the count of finite steps restarted
}

TEST(LossScalerTest, ClearsAnOverflowedGradient) {
  LossScaler scaler = MakeScaler();
  const at::Tensor gradient = at::tensor({1.0F, std::numeric_limits<float>::quiet_NaN()});
  EXPECT_FALSE(scaler.Unscale(gradient));
  EXPECT_TRUE(at::equal(gradient, at::zeros({2})));
}

TEST(LossScalerTest, ResumesFromItsState) {
  LossScaler scaler = MakeScaler();
  scaler.Unscale(at::full({1}, std::numeric_limits<float>::infinity()));
  scaler.Unscale(at::ones({1}));
  LossScaler resumed = MakeScaler();
  resumed.Restore(scaler.ScalarState());
  EXPECT_EQ(ScaleOf(resumed), 4);
  resumed.Unscale(at::ones({1}));  // the second of two finite steps
  EXPECT_EQ(ScaleOf(resumed), 8);
}

TEST(TorchSwitchesTest, TurnOffAttentionByCudnn) {
  at::globalContext().setSDPUseCuDNN(true);
  ApplyTorchSwitches({});
  EXPECT_FALSE(at::globalContext().userEnabledCuDNNSDP());
  EXPECT_TRUE(at::globalContext().userEnabledMemEfficientSDP());
}

TEST(AutocastScopeTest, RestoresTheThreadsState) {
  const at::Tensor x = at::ones({4, 4});
  {
    const AutocastScope scope(at::kCPU, Precision::kBf16);
    EXPECT_EQ(at::matmul(x, x).scalar_type(), at::kBFloat16);
  }
  EXPECT_EQ(at::matmul(x, x).scalar_type(), at::kFloat);
  const AutocastScope disabled(at::kCPU, Precision::kFp32);
  EXPECT_FALSE(at::autocast::is_autocast_enabled(at::kCPU));
}

std::vector<std::vector<int32_t>> SampleTours(const NetworkBatch& batch) {
  const auto tours = test::TransformerEngine(at::kFloat, test::SmallTransformer())
                         ->Run(batch, {.choice = Choice::kSample});
  EXPECT_TRUE(tours.ok()) << tours.status();
  return test::ChoicesOf(*tours);
}

TEST(AutocastScopeTest, GivesNearlyTheSameGradientInBf16) {
  const NetworkBatch batch = test::BatchOf(test::Variants(), NodeOrder::kAsGiven);
  const auto choices = SampleTours(batch);
  const GradientRequest request = {.rollout = {.choice = Choice::kForced, .choices = choices}};
  for (const bool checkpointing : {false, true}) {
    const auto exact = test::TransformerEngine(at::kFloat, test::SmallTransformer());
    const auto bf16_engine = test::TransformerEngine(
        at::kFloat, test::SmallTransformer(),
        {.precision = Precision::kBf16, .gradient_checkpointing = checkpointing});
    ASSERT_TRUE(exact->AddGradient(batch, request, test::WeighByCost).ok());
    ASSERT_TRUE(bf16_engine->AddGradient(batch, request, test::WeighByCost).ok());
    const double difference = test::RelativeDifference(exact->parameters().gradient(),
                                                       bf16_engine->parameters().gradient());
    EXPECT_LT(difference, 0.05);
    EXPECT_GT(difference, 1e-6);  // bf16 was used
  }
}

// Autocast caches rounded weights, including those of layers that the backward pass recomputes.
TEST(AutocastScopeTest, UsesCurrentWeightsInCheckpointedLayers) {
  const NetworkBatch batch = test::BatchOf(test::Variants(), NodeOrder::kAsGiven);
  const auto choices = SampleTours(batch);
  const GradientRequest request = {.rollout = {.choice = Choice::kForced, .choices = choices}};
  const auto make = [] {
    return test::TransformerEngine(at::kFloat, test::SmallTransformer(),
                                   {.precision = Precision::kBf16, .gradient_checkpointing = true});
  };
  const auto change = [](PolicyEngine& engine) {
    for (float& weight : engine.parameters().values()) weight *= 1.25F;
    EXPECT_TRUE(engine.ParametersChanged().ok());
    std::ranges::fill(engine.parameters().gradient(), 0.0F);
  };
  const auto first = make();
  ASSERT_TRUE(first->AddGradient(batch, request, test::WeighByCost).ok());
  change(*first);
  ASSERT_TRUE(first->AddGradient(batch, request, test::WeighByCost).ok());
  const auto second = make();
  change(*second);
  ASSERT_TRUE(second->AddGradient(batch, request, test::WeighByCost).ok());
  EXPECT_LT(
      test::RelativeDifference(second->parameters().gradient(), first->parameters().gradient()),
      1e-6);
}

}  // namespace
}  // namespace vrp
