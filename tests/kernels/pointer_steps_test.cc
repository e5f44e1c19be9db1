#include "core/kernels/pointer_steps/pointer_steps.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/base/random.h"

namespace vrp {
namespace {

constexpr int64_t kNodes = 5;
constexpr int64_t kPadded = 16;
constexpr int64_t kHidden = 16;

std::vector<double> Values(int64_t count, uint64_t stream) {
  CounterRandom random(3, stream);
  std::vector<double> values(static_cast<size_t>(count));
  for (double& value : values) value = random.UniformDouble() - 0.5;
  return values;
}

// One step of one head over 5 nodes, of which the last is forbidden.
struct OneStep {
  std::vector<double> mask = std::vector<double>(kPadded, -std::numeric_limits<double>::infinity());
  std::vector<double> dynamic = std::vector<double>(kPointerDynamic * kPadded, 0.0);
  std::vector<double> query = Values(kHidden, 1);
  std::vector<double> keys = std::vector<double>(kHidden * kPadded, 0.0);  // columns
  std::vector<double> values = Values(kNodes * kHidden, 2);
  std::vector<double> weight = Values(kPointerDynamicStride, 3);
  std::vector<double> seen = std::vector<double>(kHidden);
  std::vector<double> logits = std::vector<double>(kPadded);

  void Compute(Isa isa) {
    StepView<double> view{mask.data(), {}};
    for (int32_t f = 0; f < kPointerDynamic; ++f) view.dynamic[f] = dynamic.data() + f * kPadded;
    std::vector<double> attention(kPadded);
    PointerKernelsFor<double>(isa).glimpse({.steps = 1,
                                            .nodes = kNodes,
                                            .padded_nodes = kPadded,
                                            .heads = 1,
                                            .channels = kHidden,
                                            .views = &view,
                                            .queries = query.data(),
                                            .key_columns = keys.data(),
                                            .values = values.data(),
                                            .dynamic_weight = weight.data(),
                                            .weights = attention.data()},
                                           seen.data());
    PointerKernelsFor<double>(isa).logits({.steps = 1,
                                           .nodes = kNodes,
                                           .padded_nodes = kPadded,
                                           .hidden = kHidden,
                                           .views = &view,
                                           .queries = query.data(),
                                           .key_columns = keys.data(),
                                           .dynamic_weights = weight.data(),
                                           .logits = logits.data()});
  }

  double Score(int64_t n) const {
    double score = 0;
    for (int64_t h = 0; h < kHidden; ++h) score += query[h] * keys[h * kPadded + n];
    for (int64_t f = 0; f < kPointerDynamic; ++f) score += weight[f] * dynamic[f * kPadded + n];
    return score;
  }

  OneStep() {
    const std::vector<double> random = Values(kNodes * (kHidden + kPointerDynamic), 4);
    for (int64_t n = 0; n < kNodes; ++n) {
      mask[n] = n == kNodes - 1 ? mask[n] : 0;
      for (int64_t h = 0; h < kHidden; ++h) keys[h * kPadded + n] = random[n * kHidden + h];
      for (int64_t f = 0; f < kPointerDynamic; ++f) {
        dynamic[f * kPadded + n] = random[kNodes * kHidden + n * kPointerDynamic + f];
      }
    }
  }
};

class PointerStepsTest : public testing::TestWithParam<Isa> {};

TEST_P(PointerStepsTest, EqualPlainLoops) {
  OneStep step;
  step.Compute(GetParam());
  double sum = 0;
  std::vector<double> seen(kHidden);
  for (int64_t n = 0; n < kNodes - 1; ++n) {
    const double share = std::exp(step.Score(n));
    sum += share;
    for (int64_t h = 0; h < kHidden; ++h) seen[h] += share * step.values[n * kHidden + h];
    EXPECT_NEAR(step.logits[n], 10 * std::tanh(step.Score(n)), 1e-12);
  }
  EXPECT_EQ(step.logits[kNodes - 1], -std::numeric_limits<double>::infinity());
  for (int64_t h = 0; h < kHidden; ++h) EXPECT_NEAR(step.seen[h], seen[h] / sum, 1e-12);
}

TEST_P(PointerStepsTest, BothAttentionsSeeThatANodeBecameVisited) {
  OneStep step;
  step.Compute(GetParam());
  OneStep flipped;
  flipped.dynamic[2] += 1;  // is_visited of node 2, and nothing else
  flipped.Compute(GetParam());
  EXPECT_GT(std::abs(flipped.logits[2] - step.logits[2]), 1e-3);
  EXPECT_GT(std::abs(flipped.seen[0] - step.seen[0]), 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Isas, PointerStepsTest, testing::ValuesIn(UsableIsas()));

}  // namespace
}  // namespace vrp
