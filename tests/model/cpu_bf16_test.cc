// Tests the networks' passes with emulated products in bf16, which run on every CPU with AVX-512.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "core/base/isa.h"
#include "core/model/graph_transformer/cpu_graph_transformer.h"
#include "core/model/pointer_network/cpu_pointer_network.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

// The variable must be set before the kernels choose their instructions.
const int kSetenvResult = setenv("VRP_ISA", "avx512_bf16_emulated", 1);

const PointerNetworkOptions kBf16Pointer = {.hidden = 48, .layers = 2, .dropout = 0.2};
const GraphTransformerOptions kBf16Transformer = {
    .hidden = 48, .heads = 4, .feed_forward = 80, .layers = 2};

enum class Bf16Network { kPointer, kGraphTransformer };

class CpuBf16Test : public testing::TestWithParam<Bf16Network> {
 protected:
  void SetUp() override {
    ASSERT_EQ(kSetenvResult, 0);
    if (UsableBf16() != Bf16::kEmulatedVectors) GTEST_SKIP() << "needs a CPU with AVX-512";
    engine_ = GetParam() == Bf16Network::kPointer ? MakeCpuPointerNetwork(kBf16Pointer, 3)
                                                  : MakeCpuGraphTransformer(kBf16Transformer, 3);
    ASSERT_TRUE(engine_->HasBf16());
    engine_->parameters().TrackGradient();
    uint64_t seed = 1;
    for (const int32_t size : {6, 9, 7, 21, 12}) {
      instances_.push_back(
          test::AnInstance().WithCustomers(size).Seed(seed++).RandomDemands().Capacity(15).Build());
    }
    batch_ = MakeNetworkBatch(instances_, NodeOrder::kByAngle);
  }
  GradientOutcome Gradient(GradientRequest request, bool bf16) {
    request.rollout.bf16 = bf16;
    const auto gradient = engine_->parameters().gradient();
    std::fill(gradient.begin(), gradient.end(), 0.0f);
    auto outcome =
        engine_->AddGradient(batch_, request, [](int64_t, std::span<const double>, auto weights) {
          for (size_t i = 0; i < weights.size(); ++i) weights[i] = 0.5 + static_cast<double>(i % 3);
        });
    EXPECT_TRUE(outcome.ok()) << outcome.status();
    gradient_.assign(gradient.begin(), gradient.end());
    return *std::move(outcome);
  }
  Trajectories Run(const RolloutRequest& request) const {
    auto trajectories = engine_->Run(batch_, request);
    EXPECT_TRUE(trajectories.ok()) << trajectories.status();
    return *std::move(trajectories);
  }
  // Returns a request that forces choices drawn by the network, so that both precisions use the
  // same choices.
  GradientRequest ForcedRequest() {
    if (choices_.empty()) {
      const Trajectories drawn = Run({.choice = Choice::kSample});
      for (size_t b = 0; b < instances_.size(); ++b) {
        const auto list = drawn.Choices(static_cast<int64_t>(b));
        choices_.emplace_back(list.begin(), list.end());
      }
    }
    return {.rollout = {.choice = Choice::kForced, .choices = choices_}};
  }

  std::unique_ptr<PolicyEngine> engine_;
  std::vector<Instance> instances_;
  NetworkBatch batch_;
  std::vector<std::vector<int32_t>> choices_;
  std::vector<float> gradient_;  // the last gradient
};

TEST_P(CpuBf16Test, HasTheGradientOfFloatUpToRounding) {
  GradientRequest request = ForcedRequest();
  request.dropout = true;
  const GradientOutcome plain = Gradient(request, false);
  const std::vector<float> wanted = gradient_;
  const GradientOutcome rounded = Gradient(request, true);
  EXPECT_NE(rounded.loss, plain.loss);
  EXPECT_NEAR(rounded.loss, plain.loss, 0.002 * std::abs(plain.loss));
  const ParameterLayout& layout = engine_->parameters().layout();
  double all_norm = 0;
  double all_error = 0;
  for (const ParameterShape& shape : layout.shapes()) {
    const int64_t at = layout.Offset(shape.name);
    double norm = 0;
    double error = 0;
    for (int64_t i = at; i < at + ParameterLayout::Elements(shape); ++i) {
      norm += double{wanted[i]} * wanted[i];
      error += (double{gradient_[i]} - wanted[i]) * (double{gradient_[i]} - wanted[i]);
    }
    if (norm == 0) continue;  // only other problems use the parameter
    EXPECT_GT(error, 0) << shape.name;
    all_norm += norm;
    all_error += error;
    // After the encoder's norms some gradients are so small that rounding outweighs them.
    if (GetParam() == Bf16Network::kGraphTransformer) continue;
    EXPECT_LT(std::sqrt(error), 0.02 * std::sqrt(norm)) << shape.name;
  }
  EXPECT_LT(std::sqrt(all_error), 0.05 * std::sqrt(all_norm));
}

TEST_P(CpuBf16Test, UsesTheSamePrecisionInBothPasses) {
  const GradientRequest request{.rollout = {.choice = Choice::kSample, .trajectories = 3}};
  EXPECT_LT(Gradient(request, true).pass_difference, 1e-4);
}

TEST_P(CpuBf16Test, IsBitwiseReproducibleForAThreadCount) {
  CpuPool pool(2);
  const GradientRequest request{
      .rollout = {.choice = Choice::kSample, .trajectories = 2, .pool = &pool}};
  Gradient(request, true);
  const std::vector<float> first = gradient_;
  Gradient(request, true);
  EXPECT_EQ(first, gradient_);
}

TEST_P(CpuBf16Test, RoundsRolloutsOnRequestAndSeesChangedParameters) {
  const RolloutRequest forced = ForcedRequest().rollout;
  const std::vector<double> before = Run(forced).log_likelihoods;
  RolloutRequest rounded = forced;
  rounded.bf16 = true;
  const std::vector<double> close = Run(rounded).log_likelihoods;
  EXPECT_NE(close, before);
  EXPECT_THAT(close, testing::Pointwise(testing::DoubleNear(0.1), before));
  const double loss = Gradient(ForcedRequest(), true).loss;
  EXPECT_EQ(Run(forced).log_likelihoods, before);
  for (float& value : engine_->parameters().values()) value *= 1.1f;
  EXPECT_TRUE(engine_->ParametersChanged().ok());
  EXPECT_NE(Gradient(ForcedRequest(), true).loss, loss);
  EXPECT_NE(Run(forced).log_likelihoods, before);
  EXPECT_NE(Run(rounded).log_likelihoods, close);
}

INSTANTIATE_TEST_SUITE_P(Networks, CpuBf16Test,
                         testing::Values(Bf16Network::kPointer, Bf16Network::kGraphTransformer));

}  // namespace
}  // namespace vrp
