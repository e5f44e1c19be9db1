// The interface of networks from features to prizes.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "core/dispatch/learning/features.h"

namespace vrp {

// A network that reads the features of one decision and returns a prize for each of its requests,
// in units of the site's mean distance from the depot. Const methods are thread-safe.
class PrizeNetwork {
 public:
  virtual ~PrizeNetwork() = default;
  PrizeNetwork(const PrizeNetwork&) = delete;
  PrizeNetwork& operator=(const PrizeNetwork&) = delete;

  // Returns all weights. The last is the bias of the output, so that adding to it shifts all
  // prizes.
  std::span<const float> weights() const { return weights_; }
  // Replaces all weights; `weights` is like weights().
  void SetWeights(std::span<const float> weights) {
    weights_.assign(weights.begin(), weights.end());
    WeightsChanged();
  }

  // The mean and the standard deviation of each request's features, by which inputs are normalised.
  const DispatchFeatures& means() const { return means_; }
  const DispatchFeatures& deviations() const { return deviations_; }
  void SetNormalisation(const DispatchFeatures& means, const DispatchFeatures& deviations) {
    means_ = means;
    deviations_ = deviations;
  }

  // Whether the network reads DecisionFeatures::pairs.
  virtual bool ReadsPairs() const = 0;
  // Returns the outputs of the N requests, [N], which may be negative.
  virtual std::vector<float> Predict(const DecisionFeatures& features) const = 0;
  // Adds the gradient of the sum of slopes[i] times output i, over the N requests, to `gradient`,
  // which is like weights().
  virtual void AddGradient(const DecisionFeatures& features, std::span<const float> slopes,
                           std::span<float> gradient) const = 0;

 protected:
  explicit PrizeNetwork(std::vector<float> weights) : weights_(std::move(weights)) {
    deviations_.fill(1);
  }
  // Called after each change of the weights.
  virtual void WeightsChanged() {}
  // Writes the normalised features of a request to the front of `to`.
  void Normalise(const DispatchFeatures& features, std::span<float> to) const {
    for (size_t i = 0; i < features.size(); ++i) {
      to[i] = (features[i] - means_[i]) / deviations_[i];
    }
  }

 private:
  std::vector<float> weights_;
  DispatchFeatures means_{};
  DispatchFeatures deviations_{};
};

}  // namespace vrp
