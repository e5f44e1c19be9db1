// Compares the sequence transformer with the same network in LibTorch's operators, in float64.
#include <ATen/ATen.h>

#include <cmath>
#include <vector>

#include "core/model/habits/sequence_transformer.h"
#include "gtest/gtest.h"
#include "tests/model/sequence_testing.h"
#include "tests/model/torch_sequence_reference.h"

namespace vrp {
namespace {

struct Sizes {
  SequenceTransformerOptions options;
  std::vector<int32_t> today;  // numbers of stops
  double smoothing;
};

class SequenceParityTest : public testing::TestWithParam<Sizes> {};

TEST_P(SequenceParityTest, LossAndGradientsEqualThoseOfLibTorch) {
  const auto& [options, today, smoothing] = GetParam();
  SequenceBuffers buffers = test::RandomSequences(today, options.features);
  buffers.targets[buffers.Token(0, 0)] = kNoTarget;
  const std::vector<double> parameters = test::RandomSequenceParameters(options);
  const at::Tensor flat =
      at::from_blob(const_cast<double*>(parameters.data()), {std::ssize(parameters)}, at::kDouble)
          .clone()
          .set_requires_grad(true);
  const test::TorchSequenceTransformer reference(options, flat);
  const at::Tensor loss =
      reference.Loss(test::SequencesOf(buffers.View(), options.features, at::kDouble), smoothing);
  loss.backward();
  for (const Isa isa : UsableIsas()) {
    const auto engine = *SequenceTransformer<double>::Create(options, Bf16::kNone, isa);
    engine->SetParameters(parameters);
    std::vector<double> gradient(parameters.size());
    const auto outcome =
        engine->AddGradient(buffers.View(), {.label_smoothing = smoothing}, gradient);
    ASSERT_TRUE(outcome.ok()) << outcome.status();
    EXPECT_NEAR(outcome->loss, loss.item<double>(), 1e-11);
    EXPECT_NEAR(engine->Loss(buffers.View(), {.label_smoothing = smoothing})->loss,
                loss.item<double>(), 1e-11);
    for (const ParameterShape& shape : engine->layout().shapes()) {
      const int64_t first = engine->layout().Offset(shape.name);
      for (int64_t i = first; i < first + ParameterLayout::Elements(shape); ++i) {
        const double wanted = flat.grad().data_ptr<double>()[i];
        ASSERT_NEAR(gradient[i], wanted, 1e-10 * (1 + std::abs(wanted)))
            << shape.name << " at " << i - first;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, SequenceParityTest,
    testing::Values(Sizes{{.layers = 2, .width = 32, .heads = 2, .feed_forward = 48, .features = 5},
                          {3, 1, 9, 40},
                          0},
                    Sizes{
                        {.layers = 1, .width = 64, .heads = 8, .feed_forward = 64, .features = 13},
                        {17, 2},
                        0.1},
                    Sizes{{}, {20, 30}, 0.1}));

TEST(SequenceReferenceTest, GivesTheSameLogProbabilities) {
  const SequenceTransformerOptions options{
      .layers = 2, .width = 32, .heads = 2, .feed_forward = 48, .features = 5};
  const SequenceBuffers buffers = test::RandomSequences({7, 4}, options.features);
  const SequenceBatch batch = buffers.View();
  const std::vector<double> parameters = test::RandomSequenceParameters(options);
  const at::Tensor flat =
      at::from_blob(const_cast<double*>(parameters.data()), {std::ssize(parameters)}, at::kDouble);
  const test::TorchSequences tensors = test::SequencesOf(batch, options.features, at::kDouble);
  const at::Tensor logits = test::TorchSequenceTransformer(options, flat).AllLogits(tensors);
  const auto engine = *SequenceTransformer<double>::Create(options);
  engine->SetParameters(parameters);
  std::vector<double> got(static_cast<size_t>(batch.size * batch.max_candidates));
  ASSERT_TRUE(engine->LogProbabilities(batch, nullptr, got).ok());
  for (int64_t s = 0; s < batch.size; ++s) {
    const int64_t last = batch.lengths[s] - 1;
    const at::Tensor allowed = tensors.allowed[s][last];
    const at::Tensor wanted =
        at::log_softmax(logits[s][last].masked_fill(allowed.logical_not(), -INFINITY), 0);
    for (int64_t c = 0; c < batch.max_candidates; ++c) {
      const double value = got[s * batch.max_candidates + c];
      if (allowed[c].item<bool>()) {
        EXPECT_NEAR(value, wanted[c].item<double>(), 1e-11) << s << ", " << c;
      } else {
        EXPECT_EQ(value, -INFINITY) << s << ", " << c;
      }
    }
  }
}

}  // namespace
}  // namespace vrp
