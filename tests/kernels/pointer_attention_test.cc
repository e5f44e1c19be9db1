#include "core/kernels/pointer_attention.h"

#include <cmath>
#include <limits>
#include <vector>

#include "core/base/random.h"
#include "gtest/gtest.h"

namespace vrp {
namespace {

struct Shape {
  int64_t nodes;
  int64_t heads;
  int64_t channels;
};

class PointerAttentionTest : public testing::TestWithParam<Shape> {
 protected:
  static constexpr int64_t kFeatures = 5;

  std::vector<float> Random(int64_t count) {
    std::vector<float> values;
    for (int64_t i = 0; i < count; ++i) values.push_back(2 * random_.UniformFloat() - 1);
    return values;
  }
  // Forbids all but some nodes; never the last.
  std::vector<uint8_t> Mask(int64_t nodes) {
    std::vector<uint8_t> mask;
    for (int64_t n = 0; n < nodes; ++n) mask.push_back(random_.UniformInt(0, 2) == 0 ? 1 : 0);
    mask.back() = 0;
    return mask;
  }

  CounterRandom random_{7};
};

TEST_P(PointerAttentionTest, GlimpsesAsTheFormulaSays) {
  const auto [nodes, heads, channels] = GetParam();
  const auto dynamic = Random(nodes * kFeatures);
  const auto mask = Mask(nodes);
  const auto keys = Random(heads * channels * nodes);
  const auto values = Random(heads * nodes * channels);
  const auto weight = Random(heads * kFeatures);
  const auto query = Random(heads * channels);
  std::vector<float> seen(query.size(), 99);
  Glimpse({nodes, kFeatures, dynamic, mask}, {heads, channels, keys, values, weight}, query, seen);

  for (int64_t m = 0; m < heads; ++m) {
    std::vector<double> chance;
    double sum = 0;
    for (int64_t n = 0; n < nodes; ++n) {
      double score = 0;
      for (int64_t c = 0; c < channels; ++c) {
        score += double{query[m * channels + c]} * keys[(m * channels + c) * nodes + n];
      }
      for (int64_t f = 0; f < kFeatures; ++f) {
        score += double{weight[m * kFeatures + f]} * dynamic[n * kFeatures + f];
      }
      chance.push_back(mask[n] == 0 ? std::exp(score) : 0);
      sum += chance.back();
    }
    for (int64_t c = 0; c < channels; ++c) {
      double expected = 0;
      for (int64_t n = 0; n < nodes; ++n) {
        expected += chance[n] / sum * values[(m * nodes + n) * channels + c];
      }
      EXPECT_NEAR(seen[m * channels + c], expected, 1e-5);
    }
  }
}

TEST_P(PointerAttentionTest, PointsAsTheFormulaSays) {
  const auto [nodes, heads, channels] = GetParam();
  const int64_t hidden = heads * channels;
  const auto dynamic = Random(nodes * kFeatures);
  const auto mask = Mask(nodes);
  const auto keys = Random(hidden * nodes);
  const auto weight = Random(kFeatures);
  const auto query = Random(hidden);
  std::vector<float> logits(static_cast<size_t>(nodes), 99);
  PointerLogits({nodes, kFeatures, dynamic, mask}, {keys, weight, 5}, query, logits);
  for (int64_t n = 0; n < nodes; ++n) {
    double score = 0;
    for (int64_t h = 0; h < hidden; ++h) score += double{query[h]} * keys[h * nodes + n];
    for (int64_t f = 0; f < kFeatures; ++f) {
      score += double{weight[f]} * dynamic[n * kFeatures + f];
    }
    if (mask[n] != 0) {
      EXPECT_EQ(logits[n], -std::numeric_limits<float>::infinity());
    } else {
      EXPECT_NEAR(logits[n], 5 * std::tanh(score), 1e-4);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, PointerAttentionTest,
                         testing::Values(Shape{1, 1, 1}, Shape{2, 8, 1}, Shape{7, 8, 2},
                                         Shape{21, 8, 16}, Shape{33, 8, 32}, Shape{101, 8, 16}),
                         [](const auto& param_info) {
                           return std::to_string(param_info.param.nodes) + "_nodes_" +
                                  std::to_string(param_info.param.channels) + "_channels";
                         });

}  // namespace
}  // namespace vrp
