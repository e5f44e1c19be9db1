// Prizes by a graph transformer.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "core/dispatch/learning/prize_network.h"
#include "core/kernels/dense/dense.h"
#include "core/kernels/encoder/encoder.h"
#include "core/model/weights/flat_parameters.h"

namespace vrp {

// Sizes of the network, within the limits of graph_transformer_architecture.h.
struct PrizeTransformerOptions {
  int32_t width = 32;  // H, a multiple of kWidthMultiple
  int32_t layers = 2;
  int32_t heads = 4;  // divides width

  bool operator==(const PrizeTransformerOptions&) const = default;
};

// Returns the parameters in the order of PrizeTransformer::weights(): embed.{weight [H, features],
// bias [H]}, those of encoder_parameters.h, and head.{weight [1, H], bias [1]}. The feed-forward
// layers have 4 H inner channels, an edge has the features of a pair of requests.
std::vector<ParameterShape> PrizeTransformerParameters(const PrizeTransformerOptions& options);

// A graph transformer whose nodes are the waiting requests of one decision: a linear embedding of
// the normalised features, encoder layers (Kool et al. 2019) whose attention is biased by the
// features of pairs, and a linear head. Its norms are the identity with a learned scale and shift
// (NormKind::kFrozenBatch): statistics over the requests would hide what all of them share, such as
// the number of later decisions, and everything of a single request.
class PrizeTransformer final : public PrizeNetwork {
 public:
  // Creates a network with random weights. Returns kInvalidArgument if a size is out of range.
  static absl::StatusOr<std::unique_ptr<PrizeTransformer>> Create(
      const PrizeTransformerOptions& options, uint64_t seed);

  bool ReadsPairs() const override { return true; }
  std::vector<float> Predict(const DecisionFeatures& features) const override;
  void AddGradient(const DecisionFeatures& features, std::span<const float> slopes,
                   std::span<float> gradient) const override;

 private:
  // The memory of one pass, reused by later ones.
  struct Pass {
    std::vector<int32_t> first_rows;
    std::vector<const float*> edges;
    std::vector<float> inputs;       // [N, padded features], the last of which is 1
    std::vector<float> nodes;        // [N, H]
    std::vector<float> d_nodes;      // [N, H]
    std::vector<float> d_embedding;  // [H, padded features]
    std::vector<float> saved;
    std::vector<float> scratch;
  };

  PrizeTransformer(const PrizeTransformerOptions& options, const ParameterLayout& layout,
                   const FlatParameters& initial);

  void WeightsChanged() override;
  // Computes the encoded nodes. If `keep`, stores what Backward of the encoder needs.
  void Encode(const DecisionFeatures& features, bool keep, Pass& pass) const;
  // Adds the gradient of the embedding, from that of the embedded nodes in pass.d_nodes.
  void AddEmbeddingGradient(int64_t requests, Pass& pass, std::span<float> gradient) const;
  const float* Head() const { return weights().data() + head_; }
  // Returns an idle pass, or a new one. Thread-safe.
  std::unique_ptr<Pass> Checkout() const;
  void Return(std::unique_ptr<Pass> pass) const;

  const int64_t width_;
  const int64_t head_;  // offset of the head's weights; the bias follows
  const DenseKernels<float>& dense_;
  const std::unique_ptr<Encoder<float>> encoder_;
  std::vector<float> embedding_;  // packed [padded features, H]; the bias belongs to the input 1
  mutable absl::Mutex mutex_;
  mutable std::vector<std::unique_ptr<Pass>> idle_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace vrp
