#include "core/dispatch/learning/prize_network.h"

#include <cmath>
#include <cstddef>
#include <utility>

#include "core/base/text.h"
#include "core/dispatch/learning/normal.h"

namespace vrp {
absl::StatusOr<PrizeNetwork> PrizeNetwork::Create(std::vector<int32_t> hidden, uint64_t seed) {
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
  PrizeNetwork network;
  network.hidden_ = std::move(hidden);
  network.deviations_.fill(1);
  CounterRandom random(seed);
  int32_t inputs = kDispatchFeatureCount;
  for (size_t layer = 0; layer <= network.hidden_.size(); ++layer) {
    const int32_t outputs = network.Width(layer);
    const float scale = std::sqrt(2.0F / static_cast<float>(inputs));
    for (int32_t i = 0; i < inputs * outputs; ++i) {
      network.weights_.push_back(scale * static_cast<float>(DrawNormal(random)));
    }
    network.weights_.insert(network.weights_.end(), outputs, 0.0F);
    inputs = outputs;
  }
  return network;
}

std::vector<std::vector<float>> PrizeNetwork::Forward(const DispatchFeatures& features) const {
  std::vector<std::vector<float>> values;
  std::vector<float>& first = values.emplace_back();
  for (size_t i = 0; i < features.size(); ++i) {
    first.push_back((features[i] - means_[i]) / deviations_[i]);
  }
  const float* weights = weights_.data();
  for (size_t layer = 0; layer <= hidden_.size(); ++layer) {
    const std::vector<float>& inputs = values.back();
    const int32_t outputs = Width(layer);
    const float* const biases = weights + inputs.size() * outputs;
    std::vector<float> next(outputs);
    for (int32_t o = 0; o < outputs; ++o) {
      float sum = biases[o];
      for (size_t i = 0; i < inputs.size(); ++i) sum += weights[o * inputs.size() + i] * inputs[i];
      next[o] = layer < hidden_.size() && sum < 0 ? 0 : sum;
    }
    weights = biases + outputs;
    values.push_back(std::move(next));
  }
  return values;
}

float PrizeNetwork::Predict(const DispatchFeatures& features) const {
  return Forward(features).back().front();
}

void PrizeNetwork::AddGradient(const DispatchFeatures& features, float slope,
                               std::span<float> gradient) const {
  const std::vector<std::vector<float>> values = Forward(features);
  std::vector<float> slopes = {slope};  // of the outputs of the layer
  size_t end = weights_.size();
  for (size_t layer = hidden_.size() + 1; layer-- > 0;) {
    const std::vector<float>& inputs = values[layer];
    const size_t outputs = slopes.size();
    const size_t begin = end - outputs * (inputs.size() + 1);
    std::vector<float> before(inputs.size());
    for (size_t o = 0; o < outputs; ++o) {
      const size_t row = begin + o * inputs.size();
      for (size_t i = 0; i < inputs.size(); ++i) {
        gradient[row + i] += slopes[o] * inputs[i];
        before[i] += slopes[o] * weights_[row + i];
      }
      gradient[begin + outputs * inputs.size() + o] += slopes[o];
    }
    if (layer > 0) {
      for (size_t i = 0; i < before.size(); ++i) {
        if (inputs[i] <= 0) before[i] = 0;  // the slope of ReLU
      }
    }
    slopes = std::move(before);
    end = begin;
  }
}

}  // namespace vrp
