#include "core/kernels/pointer_steps/pointer_steps.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/base/random.h"

namespace vrp {
namespace {

constexpr int64_t kStepNodes = 5;
constexpr int64_t kPaddedStepNodes = 16;
constexpr int64_t kStepHidden = 16;

std::vector<double> Values(int64_t count, uint64_t stream) {
  CounterRandom random(3, stream);
  std::vector<double> values(static_cast<size_t>(count));
  for (double& value : values) value = random.UniformDouble() - 0.5;
  return values;
}

// One step of one head over 5 nodes, of which the last is forbidden.
struct OneStep {
  std::vector<double> mask =
      std::vector<double>(kPaddedStepNodes, -std::numeric_limits<double>::infinity());
  std::vector<double> dynamic = std::vector<double>(kPointerDynamic * kPaddedStepNodes, 0.0);
  std::vector<double> query = Values(kStepHidden, 1);
  std::vector<double> keys = std::vector<double>(kStepHidden * kPaddedStepNodes, 0.0);  // columns
  std::vector<double> values = Values(kStepNodes * kStepHidden, 2);
  std::vector<double> weight = Values(kPointerDynamicStride, 3);
  std::vector<double> glimpse = std::vector<double>(kStepHidden);
  std::vector<double> logits = std::vector<double>(kPaddedStepNodes);

  void Compute(Isa isa) {
    StepView<double> view{mask.data(), {}};
    for (int32_t f = 0; f < kPointerDynamic; ++f)
      view.dynamic[f] = dynamic.data() + f * kPaddedStepNodes;
    std::vector<double> attention(kPaddedStepNodes);
    PointerKernelsFor<double>(isa).glimpse({.steps = 1,
                                            .nodes = kStepNodes,
                                            .padded_nodes = kPaddedStepNodes,
                                            .heads = 1,
                                            .channels = kStepHidden,
                                            .views = &view,
                                            .queries = query.data(),
                                            .key_columns = keys.data(),
                                            .values = values.data(),
                                            .dynamic_weight = weight.data(),
                                            .weights = attention.data()},
                                           glimpse.data());
    PointerKernelsFor<double>(isa).logits({.steps = 1,
                                           .nodes = kStepNodes,
                                           .padded_nodes = kPaddedStepNodes,
                                           .hidden = kStepHidden,
                                           .views = &view,
                                           .queries = query.data(),
                                           .key_columns = keys.data(),
                                           .dynamic_weights = weight.data(),
                                           .logits = logits.data()});
  }

  double Score(int64_t n) const {
    double score = 0;
    for (int64_t h = 0; h < kStepHidden; ++h) score += query[h] * keys[h * kPaddedStepNodes + n];
    for (int64_t f = 0; f < kPointerDynamic; ++f)
      score += weight[f] * dynamic[f * kPaddedStepNodes + n];
    return score;
  }

  OneStep() {
    const std::vector<double> random = Values(kStepNodes * (kStepHidden + kPointerDynamic), 4);
    for (int64_t n = 0; n < kStepNodes; ++n) {
      mask[n] = n == kStepNodes - 1 ? mask[n] : 0;
      for (int64_t h = 0; h < kStepHidden; ++h)
        keys[h * kPaddedStepNodes + n] = random[n * kStepHidden + h];
      for (int64_t f = 0; f < kPointerDynamic; ++f) {
        dynamic[f * kPaddedStepNodes + n] =
            random[kStepNodes * kStepHidden + n * kPointerDynamic + f];
      }
    }
  }
};

class PointerStepsTest : public testing::TestWithParam<Isa> {};

TEST_P(PointerStepsTest, EqualPlainLoops) {
  OneStep step;
  step.Compute(GetParam());
  double sum = 0;
  std::vector<double> glimpse(kStepHidden);
  for (int64_t n = 0; n < kStepNodes - 1; ++n) {
    const double share = std::exp(step.Score(n));
    sum += share;
    for (int64_t h = 0; h < kStepHidden; ++h)
      glimpse[h] += share * step.values[n * kStepHidden + h];
    EXPECT_NEAR(step.logits[n], 10 * std::tanh(step.Score(n)), 1e-12);
  }
  EXPECT_EQ(step.logits[kStepNodes - 1], -std::numeric_limits<double>::infinity());
  for (int64_t h = 0; h < kStepHidden; ++h) EXPECT_NEAR(step.glimpse[h], glimpse[h] / sum, 1e-12);
}

TEST_P(PointerStepsTest, BothAttentionsReactToAVisitedNode) {
  OneStep step;
  step.Compute(GetParam());
  OneStep flipped;
  flipped.dynamic[2] += 1;  // changes only is_visited of node 2
  flipped.Compute(GetParam());
  EXPECT_GT(std::abs(flipped.logits[2] - step.logits[2]), 1e-3);
  EXPECT_GT(std::abs(flipped.glimpse[0] - step.glimpse[0]), 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Isas, PointerStepsTest, testing::ValuesIn(UsableIsas()));

}  // namespace
}  // namespace vrp
