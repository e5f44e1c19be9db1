#include "core/dispatch/learning/prize_mlp.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

#include "core/base/text.h"
#include "core/dispatch/learning/normal.h"

namespace vrp {
namespace {

// Returns random weights between layers of these widths.
std::vector<float> RandomWeights(const std::vector<int32_t>& widths, uint64_t seed) {
  std::vector<float> weights;
  CounterRandom random(seed);
  for (size_t layer = 1; layer < widths.size(); ++layer) {
    const int32_t inputs = widths[layer - 1];
    const float scale = std::sqrt(2.0F / static_cast<float>(inputs));
    for (int32_t i = 0; i < inputs * widths[layer]; ++i) {
      weights.push_back(scale * static_cast<float>(DrawNormal(random)));
    }
    weights.insert(weights.end(), static_cast<size_t>(widths[layer]), 0.0F);
  }
  return weights;
}

}  // namespace

absl::StatusOr<std::unique_ptr<PrizeMlp>> PrizeMlp::Create(std::vector<int32_t> hidden,
                                                           uint64_t seed) {
  if (hidden.size() > kMaxPrizeLayers) {
    return absl::InvalidArgumentError(
        Concat("hidden: got ", hidden.size(), " layers, wanted at most ", kMaxPrizeLayers));
  }
  for (const int32_t width : hidden) {
    if (width < 1 || width > kMaxPrizeWidth) {
      return absl::InvalidArgumentError(
          Concat("hidden: got a width of ", width, ", wanted 1 to ", kMaxPrizeWidth));
    }
  }
  std::vector<int32_t> widths = std::move(hidden);
  widths.insert(widths.begin(), kDispatchFeatureCount);
  widths.push_back(1);
  std::vector<float> weights = RandomWeights(widths, seed);
  return std::unique_ptr<PrizeMlp>(new PrizeMlp(std::move(widths), std::move(weights)));
}

PrizeMlp::PrizeMlp(std::vector<int32_t> widths, std::vector<float> weights)
    : PrizeNetwork(std::move(weights)),
      widths_(std::move(widths)),
      neurons_(std::accumulate(widths_.begin(), widths_.end(), size_t{0})) {}

void PrizeMlp::Forward(const DispatchFeatures& features, std::span<float> values) const {
  Normalise(features, values);
  const float* next_weights = weights().data();
  float* inputs = values.data();
  for (size_t layer = 1; layer < widths_.size(); ++layer) {
    const auto width = static_cast<size_t>(widths_[layer - 1]);
    const auto outputs = static_cast<size_t>(widths_[layer]);
    const bool is_last = layer + 1 == widths_.size();
    const float* const biases = next_weights + width * outputs;
    for (size_t o = 0; o < outputs; ++o) {
      float sum = biases[o];
      for (size_t i = 0; i < width; ++i) sum += next_weights[o * width + i] * inputs[i];
      inputs[width + o] = !is_last && sum < 0 ? 0 : sum;
    }
    next_weights = biases + outputs;
    inputs += width;
  }
}

std::vector<float> PrizeMlp::Predict(const DecisionFeatures& features) const {
  std::vector<float> values(neurons_);
  std::vector<float> outputs;
  outputs.reserve(features.requests.size());
  for (const DispatchFeatures& request : features.requests) {
    Forward(request, values);
    outputs.push_back(values.back());
  }
  return outputs;
}

void PrizeMlp::Backward(std::span<const float> values, std::span<float> slopes,
                        std::span<float> gradient) const {
  size_t end = weights().size();
  size_t first = neurons_ - 1;  // number of the layer's first neuron
  for (size_t layer = widths_.size() - 1; layer > 0; --layer) {
    const auto width = static_cast<size_t>(widths_[layer - 1]);
    const auto outputs = static_cast<size_t>(widths_[layer]);
    const size_t begin = end - outputs * (width + 1);
    const float* const inputs = values.data() + first - width;
    float* const before = slopes.data() + first - width;
    std::fill_n(before, width, 0.0F);
    for (size_t o = 0; o < outputs; ++o) {
      const float slope = slopes[first + o];
      const size_t row = begin + o * width;
      for (size_t i = 0; i < width; ++i) {
        gradient[row + i] += slope * inputs[i];
        before[i] += slope * weights()[row + i];
      }
      gradient[begin + outputs * width + o] += slope;
    }
    for (size_t i = 0; layer > 1 && i < width; ++i) {
      if (inputs[i] <= 0) before[i] = 0;  // the slope of ReLU
    }
    end = begin;
    first -= width;
  }
}

void PrizeMlp::AddGradient(const DecisionFeatures& features, std::span<const float> slopes,
                           std::span<float> gradient) const {
  std::vector<float> values(neurons_);
  std::vector<float> backward(neurons_);
  for (size_t r = 0; r < features.requests.size(); ++r) {
    if (slopes[r] == 0) continue;
    Forward(features.requests[r], values);
    backward.back() = slopes[r];
    Backward(values, backward, gradient);
  }
}

}  // namespace vrp
