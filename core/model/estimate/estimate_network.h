// The network of an estimate: a graph transformer with a head for costs and routes.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "core/estimate/estimate_features.h"
#include "core/kernels/dense/dense.h"
#include "core/kernels/encoder/encoder.h"
#include "core/model/weights/flat_parameters.h"

namespace vrp {

// Sizes of the network, within the limits of graph_transformer_architecture.h.
struct EstimateNetworkOptions {
  int32_t width = 32;   // H, a multiple of kWidthMultiple
  int32_t layers = 2;   // 0: no encoder; the head reads the features of the whole problem only
  int32_t heads = 4;    // divides width
  int32_t hidden = 64;  // D, of the head; at most kMaxTransformerFeedForward

  bool operator==(const EstimateNetworkOptions&) const = default;
};

// Outputs of the network: of log(cost / cost of the quick plan) and log(routes / its routes) the
// median, in units of the training's deviation from its mean, and the logarithm of the scale of
// its error. The last one is what the coarse labels of a training add to the median of the cost; it
// is linear in the features of the whole problem, so that all else is learned from both.
inline constexpr int32_t kEstimateOutputs = 5;
inline constexpr int32_t kHiddenOutputs = 4;  // which read the head's hidden layer
enum EstimateOutput { kCostMedian, kCostScale, kRoutesMedian, kRoutesScale, kCoarseGap };
template <typename T>
using EstimateOutputs = std::array<T, kEstimateOutputs>;

// Returns kInvalidArgument that names the option unless the sizes are in range.
absl::Status CheckEstimateSizes(const EstimateNetworkOptions& options);

// Returns the trained parameters: embed.{weight [H, features], bias [H]}, those of
// encoder_parameters.h, head.hidden.{weight [D, 2 H + globals], bias}, head.out.{weight [4, D],
// bias [5]} and head.linear.weight [5, globals]. The feed-forward layers have 4 H inner channels.
// Without layers, there are those of the head only, which reads the globals.
std::vector<ParameterShape> EstimateNetworkParameters(const EstimateNetworkOptions& options);

// The memory of one pass, reused by later ones.
template <typename T>
struct EstimatePass {
  int32_t count = 0;  // N
  std::vector<int32_t> first_rows;
  std::vector<const T*> edges;
  std::vector<T> inputs;       // [N, inputs]; only of double
  std::vector<T> pairs;        // [features, N, N]; only of double
  std::vector<T> nodes;        // [N, H]
  std::vector<T> d_nodes;      // [N, H]
  std::vector<T> d_embedding;  // [H, inputs]
  std::vector<T> pooled;       // [2 H + globals]: customers' mean, the depot, the globals
  std::vector<T> d_pooled;
  std::vector<T> hidden;  // [D], after ReLU
  std::vector<T> saved;
  std::vector<T> scratch;
};

// A graph transformer whose nodes are the depot and the customers. The head reads the mean of the
// customers' encodings, the depot's, and the normalised features of the whole problem. Norms are
// over an instance's nodes. T is float, or double as a reference for tests. Const functions may run
// on several threads at once, each with its own pass.
template <typename T>
class EstimateNetwork {
 public:
  // Returns the errors of CheckEstimateSizes. SetParameters must follow.
  static absl::StatusOr<std::unique_ptr<EstimateNetwork>> Create(
      const EstimateNetworkOptions& options);

  // Takes the parameters of EstimateNetworkParameters, and packs the weights.
  void SetParameters(std::span<const T> parameters);

  // Whether the network reads features of nodes and pairs.
  bool reads_graph() const { return options_.layers > 0; }

  // Computes the outputs. `globals` are the normalised features of the whole problem. If `keep`,
  // stores what AddGradient needs.
  EstimateOutputs<T> Forward(const EstimateFeatures& features,
                             std::span<const float, kEstimateGlobalCount> globals, bool keep,
                             EstimatePass<T>& pass) const;
  // Adds the gradient of the parameters, from that of the outputs of the last Forward of `pass`,
  // whose features must not have changed.
  void AddGradient(const EstimateFeatures& features, const EstimateOutputs<T>& slopes,
                   EstimatePass<T>& pass, std::span<T> gradient) const;

 private:
  explicit EstimateNetwork(const EstimateNetworkOptions& options);

  // Fills the part of `pooled` that the encoder gives.
  void Pool(EstimatePass<T>& pass) const;
  void Encode(const EstimateFeatures& features, bool keep, EstimatePass<T>& pass) const;
  void AddHeadGradient(const EstimateOutputs<T>& slopes, EstimatePass<T>& pass,
                       std::span<T> gradient) const;
  void AddEmbeddingGradient(const T* inputs, EstimatePass<T>& pass, std::span<T> gradient) const;
  const T* Inputs(const EstimateFeatures& features, const EstimatePass<T>& pass) const;

  const EstimateNetworkOptions options_;
  const ParameterLayout layout_;
  const int64_t width_;
  const int64_t graph_;   // 2 H; 0 without layers
  const int64_t pooled_;  // graph_ + globals
  const DenseKernels<T>& dense_;
  const std::unique_ptr<Encoder<T>> encoder_;  // null without layers
  // Offsets of the head's parameters.
  const int64_t hidden_weight_, hidden_bias_, out_weight_, out_bias_, linear_weight_;
  std::vector<T> parameters_;
  std::vector<T> embedding_;  // packed [inputs, H]; the bias belongs to the input 1
};

}  // namespace vrp
