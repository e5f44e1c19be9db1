// Compares the fused encoder with the encoder in plain operators, on the CPU.
#include <ATen/ATen.h>

#include <utility>
#include <vector>

#include "core/model/torch/encoder_functions.h"
#include "core/model/torch/graph_encoder.h"
#include "core/model/torch/precision.h"
#include "gtest/gtest.h"
#include "tests/model/torch_testing.h"

namespace vrp {
namespace {

using test::NoiseShare;

// An encoder's nodes, and the gradient of their sum with fixed random weights.
struct Encoded {
  at::Tensor nodes;
  at::Tensor gradient;
};

struct EncoderCase {
  bool edge_bias = false;
  bool padded = true;  // whether instances differ in size
  bool gradient_checkpointing = false;
};

class FusedEncoderTest : public testing::TestWithParam<EncoderCase> {
 protected:
  FusedEncoderTest() : inputs_(InputsOf(GraphTransformerArchitecture(), {})) {
    sizes_.edge_bias = GetParam().edge_bias;
    const std::vector<Instance> all = test::Variants();
    host_ = test::BatchOf(GetParam().padded ? all : std::vector<Instance>{all[2], all[4]},
                          inputs_.form);
    Transfers transfers{at::Device(at::kCPU)};
    batch_ = MakeTorchBatch(
        host_, {.count = host_.size(), .options = at::kFloat, .edges = sizes_.edge_bias},
        transfers);
  }

  Encoded Encode(at::Tensor (*encode)(const GraphEncoder&), Precision precision) const {
    const auto engine = test::TransformerEngine(at::kFloat, sizes_);
    engine->tensors().TrackGradient();
    const AutocastScope autocast(at::kCPU, precision);
    const at::Tensor nodes = encode({.options = sizes_,
                                     .inputs = inputs_,
                                     .parameters = engine->tensors(),
                                     .batch = batch_,
                                     .gradient_checkpointing = GetParam().gradient_checkpointing});
    at::Tensor weights = at::arange(nodes.numel(), at::kFloat).mul(1.7).sin().view(nodes.sizes());
    weights = weights * batch_.valid.unsqueeze(2);
    (nodes.to(at::kFloat) * weights).sum().backward();
    return {nodes.detach(), engine->tensors().gradient().clone()};
  }

  // Returns the noise of `b` as a share of `a`.
  static double Noise(const at::Tensor& a, const at::Tensor& b) {
    const at::Tensor first = a.to(at::kDouble).contiguous();
    const at::Tensor second = b.to(at::kDouble).contiguous();
    return NoiseShare(test::Values(first), test::Values(second));
  }

  GraphTransformerOptions sizes_ = test::SmallTransformer();
  const NetworkInputs inputs_;
  NetworkBatch host_;
  TorchBatch batch_;
};

TEST_P(FusedEncoderTest, EqualsTheEncoderInOperators) {
  EXPECT_EQ(batch_.full, !GetParam().padded);
  const Encoded expected = Encode(EncodeByOperators, Precision::kFp32);
  const Encoded actual = Encode(EncodeFused, Precision::kFp32);
  EXPECT_TRUE(at::allclose(expected.nodes, actual.nodes, 1e-4, 1e-4));
  EXPECT_LT(Noise(expected.gradient, actual.gradient), 1e-9);
}

TEST_P(FusedEncoderTest, IsNearlyEqualInBf16) {
  const Encoded expected = Encode(EncodeByOperators, Precision::kFp32);
  const Encoded operators = Encode(EncodeByOperators, Precision::kBf16);
  const Encoded actual = Encode(EncodeFused, Precision::kBf16);
  EXPECT_EQ(actual.nodes.scalar_type(), at::kBFloat16);
  const double noise = Noise(expected.gradient, actual.gradient);
  EXPECT_GT(noise, 1e-7);  // bf16 was used
  // Residual connections in bf16 round less than the products do.
  EXPECT_LT(noise, 1.5 * Noise(expected.gradient, operators.gradient));
  RecordProperty("noise", Concat(noise));
  RecordProperty("operators_noise", Concat(Noise(expected.gradient, operators.gradient)));
}

INSTANTIATE_TEST_SUITE_P(Networks, FusedEncoderTest,
                         testing::Values(EncoderCase{}, EncoderCase{.padded = false},
                                         EncoderCase{.edge_bias = true},
                                         EncoderCase{.edge_bias = true, .padded = false},
                                         EncoderCase{.gradient_checkpointing = true}));

TEST(AlignedBiasTest, KeepsValuesAndAlignsRows) {
  const at::Tensor bias = at::arange(2 * 3 * 5, at::kFloat).view({2, 1, 3, 5});
  const at::Tensor aligned = AlignedBias(bias);
  EXPECT_TRUE(at::equal(aligned, bias));
  EXPECT_EQ(aligned.stride(2), 16);
}

}  // namespace
}  // namespace vrp
