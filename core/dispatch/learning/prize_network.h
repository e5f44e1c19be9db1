// A small network from features to prizes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "core/dispatch/learning/features.h"

namespace vrp {

inline constexpr int32_t kMaxPrizeWidth = 4096;  // largest number of neurons of a hidden layer
inline constexpr size_t kMaxPrizeLayers = 16;    // largest number of hidden layers

// A multilayer perceptron with ReLU between its layers; without hidden layers, a linear model. It
// reads the features of one request and returns its prize in units of the site's mean distance from
// the depot. Copyable. Const methods are thread-safe.
class PrizeNetwork {
 public:
  // Creates a network with random weights (He et al. 2015) for hidden layers of these widths.
  // Returns kInvalidArgument if there are too many, or one is too wide.
  static absl::StatusOr<PrizeNetwork> Create(std::vector<int32_t> hidden, uint64_t seed);

  const std::vector<int32_t>& hidden() const { return hidden_; }
  // Returns all weights: layer by layer, matrix [outputs, inputs] row-major, then biases.
  std::span<const float> weights() const { return weights_; }
  std::span<float> mutable_weights() { return weights_; }

  // The mean and the standard deviation of each feature, by which inputs are normalised.
  const DispatchFeatures& means() const { return means_; }
  const DispatchFeatures& deviations() const { return deviations_; }
  void SetNormalisation(const DispatchFeatures& means, const DispatchFeatures& deviations) {
    means_ = means;
    deviations_ = deviations;
  }

  // Returns the output, which may be negative.
  float Predict(const DispatchFeatures& features) const;
  // Adds the gradient of `slope` times the output to `gradient`, which is like weights().
  void AddGradient(const DispatchFeatures& features, float slope, std::span<float> gradient) const;

 private:
  PrizeNetwork() = default;
  // Returns the number of outputs of layer `layer`.
  int32_t Width(size_t layer) const { return layer < hidden_.size() ? hidden_[layer] : 1; }
  // Computes the inputs of each layer, and the output as the last.
  std::vector<std::vector<float>> Forward(const DispatchFeatures& features) const;

  std::vector<int32_t> hidden_;
  std::vector<float> weights_;
  DispatchFeatures means_{};
  DispatchFeatures deviations_{};
};

}  // namespace vrp
