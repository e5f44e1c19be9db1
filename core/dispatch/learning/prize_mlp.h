// Prizes by a multilayer perceptron.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "core/dispatch/learning/prize_network.h"

namespace vrp {

inline constexpr int32_t kMaxPrizeWidth = 4096;  // largest number of neurons of a hidden layer
inline constexpr size_t kMaxPrizeLayers = 16;    // largest number of hidden layers

// A multilayer perceptron with ReLU between its layers; without hidden layers, a linear model. It
// reads each request by itself. Its weights are, layer by layer, a matrix [outputs, inputs]
// row-major, then biases.
class PrizeMlp final : public PrizeNetwork {
 public:
  // Creates a network with random weights (He et al. 2015) for hidden layers of these widths.
  // Returns kInvalidArgument if there are too many, or one is too wide.
  static absl::StatusOr<std::unique_ptr<PrizeMlp>> Create(std::vector<int32_t> hidden,
                                                          uint64_t seed);

  bool ReadsPairs() const override { return false; }
  std::vector<float> Predict(const DecisionFeatures& features) const override;
  void AddGradient(const DecisionFeatures& features, std::span<const float> slopes,
                   std::span<float> gradient) const override;

 private:
  // `widths` are those of all layers: inputs, hidden layers, output.
  PrizeMlp(std::vector<int32_t> widths, std::vector<float> weights);

  // Computes the values of all layers of one request, one layer after the other: the normalised
  // features first, the output last. `values` has neurons_ elements.
  void Forward(const DispatchFeatures& features, std::span<float> values) const;
  // Adds the gradient of one request. `slopes` is like `values`; only its last element is read, and
  // all are overwritten.
  void Backward(std::span<const float> values, std::span<float> slopes,
                std::span<float> gradient) const;

  const std::vector<int32_t> widths_;
  size_t neurons_ = 0;  // sum of the widths
};

}  // namespace vrp
