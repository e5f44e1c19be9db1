#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <torch/csrc/autograd/autograd.h>

#include <vector>

#include "core/model/torch/lstm.h"
#include "gtest/gtest.h"
#include "tests/model/torch_testing.h"

namespace vrp {
namespace {

constexpr int64_t kHidden = 16;
constexpr int64_t kLayers = 2;
constexpr int64_t kLength = 9;
constexpr int64_t kSequences = 8;

double Difference(const at::Tensor& actual, const at::Tensor& expected) {
  return test::RelativeDifference(test::Values(actual.to(at::kDouble)),
                                  test::Values(expected.to(at::kDouble)));
}

// Returns the gradients of inputs, states and weights if the gradient of each output has size
// `size`. The first tensor is the outputs.
std::vector<at::Tensor> OutputsAndGradients(bool half, double size, double dropout = 0.2) {
  const at::Generator generator = at::make_generator<at::CPUGeneratorImpl>(3);
  const auto random = [&](at::IntArrayRef shape) {
    return (at::randn(shape, generator) * 0.3).set_requires_grad(true);
  };
  LstmRun run;
  run.inputs = random({kLength, kSequences, kHidden});
  run.hidden = random({kLayers, kSequences, kHidden});
  run.cell = random({kLayers, kSequences, kHidden});
  run.dropout.share = dropout;
  run.half = half;
  for (int64_t layer = 0; layer < kLayers; ++layer) {
    for (int part = 0; part < 2; ++part) run.weights.push_back(random({4 * kHidden, kHidden}));
    for (int part = 0; part < 2; ++part) run.weights.push_back(random({4 * kHidden}));
  }
  std::vector<at::Tensor> leaves = {run.inputs, run.hidden, run.cell};
  leaves.insert(leaves.end(), run.weights.begin(), run.weights.end());
  const at::Tensor outputs = RunLstm(run);
  torch::autograd::backward({outputs}, {at::randn(outputs.sizes(), generator) * size});
  std::vector<at::Tensor> result = {outputs.detach()};
  for (const at::Tensor& leaf : leaves) result.push_back(leaf.grad());
  return result;
}

// Without a scale, the smaller gradients would be 0 in fp16, and the larger ones infinite.
TEST(RunLstmTest, GivesNearlyTheSameGradientInHalfPrecisionForAnySizeOfIt) {
  for (const double size : {1e-9, 1.0, 1e9}) {
    SCOPED_TRACE(size);
    const std::vector<at::Tensor> expected = OutputsAndGradients(false, size);
    const std::vector<at::Tensor> actual = OutputsAndGradients(true, size);
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(actual[i].scalar_type(), at::kFloat) << i;
      EXPECT_LT(Difference(actual[i], expected[i]), 1e-2) << i;
    }
  }
}

TEST(RunLstmTest, GivesAGradientOfZerosInHalfPrecision) {
  for (const at::Tensor& gradient : OutputsAndGradients(true, 0)) {
    EXPECT_TRUE(at::isfinite(gradient).all().item<bool>());
  }
}

TEST(RunLstmTest, GivesTheSameOutputsLayerByLayerAsAllAtOnce) {
  const std::vector<at::Tensor> at_once = OutputsAndGradients(false, 1, 0);
  const std::vector<at::Tensor> by_layer = OutputsAndGradients(false, 1, 1e-12);
  for (size_t i = 0; i < at_once.size(); ++i) {
    EXPECT_LT(Difference(by_layer[i], at_once[i]), 1e-5) << i;
  }
}

}  // namespace
}  // namespace vrp
