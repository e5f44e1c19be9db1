#include "core/kernels/pointer_attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace vrp {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();

// to[i] += factor * from[i]
void AddScaled(float factor, const float* __restrict from, float* __restrict to, int64_t count) {
  for (int64_t i = 0; i < count; ++i) to[i] += factor * from[i];
}

// to[n] = weight . dynamic[n]
void DynamicScores(const AttentionNodes& at, const float* weight, float* to) {
  const float* row = at.dynamic.data();
  for (int64_t n = 0; n < at.nodes; ++n, row += at.features) {
    float sum = 0;
    for (int64_t f = 0; f < at.features; ++f) sum += weight[f] * row[f];
    to[n] = sum;
  }
}

// Scores to weights that sum to 1 over the allowed nodes.
void Softmax(std::span<const uint8_t> forbidden, std::span<float> scores) {
  float highest = kNever;
  for (size_t n = 0; n < scores.size(); ++n) {
    if (forbidden[n] == 0) highest = std::max(highest, scores[n]);
  }
  float sum = 0;
  for (size_t n = 0; n < scores.size(); ++n) {
    scores[n] = forbidden[n] == 0 ? std::exp(scores[n] - highest) : 0.0f;
    sum += scores[n];
  }
  for (float& score : scores) score /= sum;
}

}  // namespace

void Glimpse(const AttentionNodes& at, const GlimpseWeights& weights, std::span<const float> query,
             std::span<float> seen) {
  thread_local std::vector<float> scores;
  scores.resize(static_cast<size_t>(at.nodes));
  const int64_t channels = weights.channels;
  std::fill(seen.begin(), seen.end(), 0.0f);
  for (int64_t head = 0; head < weights.heads; ++head) {
    DynamicScores(at, weights.dynamic_weight.data() + head * at.features, scores.data());
    const float* keys = weights.keys.data() + head * channels * at.nodes;
    for (int64_t c = 0; c < channels; ++c) {
      AddScaled(query[static_cast<size_t>(head * channels + c)], keys + c * at.nodes, scores.data(),
                at.nodes);
    }
    Softmax(at.forbidden, scores);
    const float* values = weights.values.data() + head * at.nodes * channels;
    for (int64_t n = 0; n < at.nodes; ++n) {
      if (at.forbidden[static_cast<size_t>(n)] != 0) continue;
      AddScaled(scores[static_cast<size_t>(n)], values + n * channels,
                seen.data() + head * channels, channels);
    }
  }
}

void PointerLogits(const AttentionNodes& at, const PointerWeights& weights,
                   std::span<const float> query, std::span<float> logits) {
  DynamicScores(at, weights.dynamic_weight.data(), logits.data());
  for (size_t h = 0; h < query.size(); ++h) {
    AddScaled(query[h], weights.keys.data() + static_cast<int64_t>(h) * at.nodes, logits.data(),
              at.nodes);
  }
  for (size_t n = 0; n < logits.size(); ++n) {
    logits[n] = at.forbidden[n] == 0 ? weights.clip * std::tanh(logits[n]) : kNever;
  }
}

}  // namespace vrp
