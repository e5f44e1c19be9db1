// Forward and backward pass of a graph transformer for a group of instances, on one thread. Both
// compute the embedding and the decoder's projections, and call the encoder. The decoder's steps
// are in core/kernels/decoder. Needs no torch.
//
// Two products of weights are folded. The glimpse's projection W_o and the logit keys' W_l become
// one: (W_o g) . (W_l h) = g . (W_o^T W_l h). The placeholder and the query weights become a TSP's
// first query.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "core/kernels/decoder/attention_decoder.h"
#include "core/kernels/dense/dense.h"
#include "core/kernels/encoder/encoder.h"
#include "core/model/graph_transformer/graph_transformer_architecture.h"
#include "core/model/policy/bf16_projections.h"
#include "core/model/policy/network_batch.h"
#include "core/model/policy/network_inputs.h"

namespace vrp {

// Grows `values` to at least `size` elements.
template <typename T>
void GrowTo(std::vector<T>& values, int64_t size) {
  if (static_cast<int64_t>(values.size()) < size) values.resize(static_cast<size_t>(size));
}

// Activations and gradients of a group: the reusable memory of one thread. Shapes: R rows of nodes,
// B instances, H hidden, K columns of projections. K is 4H: keys, values, logit keys and queries of
// the last node. If the group has a TSP, K is 5H, which adds queries of the first node.
template <typename T>
struct GraphTransformerGroup {
  int32_t first = 0;    // number of the first instance in the batch
  int32_t count = 0;    // B
  int64_t columns = 0;  // K
  // Whether products are in bf16, if HasBf16(). Callers set this flag before Encode.
  bool bf16 = false;
  std::vector<int32_t> first_rows;  // [B + 1]
  std::vector<T> features;          // [R, padded features]
  std::vector<T> edges;             // [kEdgeFeatures, N, N] of each instance
  std::vector<const T*> edge_starts;
  std::vector<T> distances;         // [N, N] of one instance
  std::vector<T> nodes;             // [R, H]
  std::vector<T> saved;             // the encoder's saved activations
  std::vector<T> scratch;           // the encoder's scratch
  std::vector<T> projected;         // [R, K]
  std::vector<float> bf16_scratch;  // scratch of the projections in bf16
  std::vector<T> means;             // [B, H]
  std::vector<T> base;              // [B, H]
  std::vector<T> start;             // [B, H]: queries of a tour's first step
  // Gradients of the group
  std::vector<T> d_projected;  // [R, K]
  std::vector<T> d_base;       // [B, H]
  std::vector<T> d_starts;     // [B, H]
  std::vector<T> d_nodes;      // [R, H]
  std::vector<T> depot_rows;   // the depots' gradients [B, H], then features [B, padded features]
  // Gradients, summed over the groups of a step until Finish
  std::vector<T> d_projection;  // [5H, H], of the folded weights
  std::vector<T> d_start;       // [H]
  std::vector<T> d_embedding;   // [2, H, padded features]
};

// A network's passes over groups. Const functions may run on several threads at once, each with its
// own group.
template <typename T>
class GraphTransformerPass {
 public:
  GraphTransformerPass(const GraphTransformerOptions& options, Isa isa);

  const ParameterLayout& layout() const { return layout_; }
  const NetworkInputs& inputs() const { return inputs_; }
  // Packs the weights, except the encoder's. Must be called after each change of the flat
  // `parameters`.
  void Pack(const T* parameters);
  // Whether products in bf16 are available: for float, on CPUs that support bf16.
  bool HasBf16() const { return bf16_encoder_ != nullptr; }
  // Packs the weights of the encoder in bf16 (if HasBf16()) or in T, unless they are packed. Must
  // be called after Pack and before the first group that uses them. Thread-safe.
  void PackEncoder(const T* parameters, bool bf16) const;

  // Encodes instances first .. first + count - 1 of `batch`. If `keep`, stores what Backward needs.
  void Encode(const NetworkBatch& batch, int32_t first, int32_t count, bool keep,
              GraphTransformerGroup<T>& group) const;
  // Returns the decoder's view of instance `b` of the group.
  DecoderNodes<const T> Nodes(const GraphTransformerGroup<T>& group, int32_t b) const;

  // Clears the sums. Must be called before the first group of a step.
  void ClearSums(GraphTransformerGroup<T>& group) const;
  // Clears the gradients of the projections, after Encode with `keep`.
  void ClearGradients(GraphTransformerGroup<T>& group) const;
  // Returns the memory to which the decoder adds gradients. Gradients of the shares' weight go
  // directly to the flat `gradient`.
  DecoderNodes<T> NodeGradients(GraphTransformerGroup<T>& group, int32_t b, T* gradient) const;
  // Computes the gradients of everything before the decoder.
  void Backward(const NetworkBatch& batch, GraphTransformerGroup<T>& group, T* gradient) const;
  // Adds the sums to the flat `gradient`. Must be called after the last group of a step.
  void Finish(const T* parameters, const GraphTransformerGroup<T>& group, T* gradient) const;

 private:
  const Encoder<T>& EncoderOf(const GraphTransformerGroup<T>& group) const {
    return UsesBf16(group) ? *bf16_encoder_ : *encoder_;
  }
  bool UsesBf16(const GraphTransformerGroup<T>& group) const { return group.bf16 && HasBf16(); }
  void PackEmbedding(const T* parameters);
  void PackProjections(const T* parameters);
  void Embed(const NetworkBatch& batch, GraphTransformerGroup<T>& group) const;
  void FillEdges(const NetworkBatch& batch, GraphTransformerGroup<T>& group) const;
  void Project(GraphTransformerGroup<T>& group) const;
  void BackwardProjections(GraphTransformerGroup<T>& group, T* gradient) const;
  void BackwardEmbedding(const NetworkBatch& batch, GraphTransformerGroup<T>& group) const;
  void FinishFolded(const T* parameters, const GraphTransformerGroup<T>& group, T* gradient) const;
  void FinishPlaceholder(const T* parameters, const GraphTransformerGroup<T>& group,
                         T* gradient) const;
  void FinishEmbedding(const GraphTransformerGroup<T>& group, T* gradient) const;

  const GraphTransformerOptions options_;
  const ParameterLayout layout_;
  const DenseKernels<T>& dense_;
  std::unique_ptr<Encoder<T>> encoder_;
  std::unique_ptr<Encoder<T>> bf16_encoder_;  // null without bf16
  std::unique_ptr<Bf16Projections> bf16_projections_;
  mutable absl::Mutex packing_;
  mutable bool packed_ ABSL_GUARDED_BY(packing_) = false;
  mutable bool bf16_packed_ ABSL_GUARDED_BY(packing_) = false;
  const int64_t hidden_;
  const NetworkInputs inputs_;
  // Inputs of the embedding's product, padded to whole vectors. The column after the node's inputs
  // is 1, so that the bias is a column of the weights.
  const int64_t embedded_;

  std::vector<T> embed_node_;       // packed [padded features -> H]
  std::vector<T> embed_depot_;      // packed [padded features -> H]
  std::vector<T> folded_;           // [4H, H]: the projections' weights
  std::vector<T> projection_;       // packed [H -> 4H]
  std::vector<T> first_;            // packed [H -> H]: queries of the first node
  std::vector<T> projection_back_;  // packed [4H -> H]
  std::vector<T> first_back_;       // packed [H -> H]
  std::vector<T> graph_;            // packed [H -> H]
  std::vector<T> graph_back_;       // packed [H -> H]
  std::vector<T> start_query_;      // [H], without the instance's base
  std::vector<T> shares_;           // [kContextShares, H]
};

}  // namespace vrp
