// What a graph transformer computes for a group of instances besides its encoder's layers and its
// decoder's steps, forward and backward, on one thread: embedding, the decoder's projections, and
// the chain of gradients through them. No torch here.
//
// Two products of weights are folded into one: the glimpse's projection W_o and the logit keys'
// W_l, since (W_o g) . (W_l h) = g . (W_o^T W_l h); and a TSP's first query is the placeholder's
// projection.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "core/kernels/decoder/attention_decoder.h"
#include "core/kernels/dense/dense.h"
#include "core/kernels/encoder/encoder.h"
#include "core/model/graph_transformer/graph_transformer_layout.h"
#include "core/model/policy/network_batch.h"
#include "core/model/policy/network_inputs.h"
#include "core/model/policy/bf16_projections.h"

namespace vrp {

template <typename T>
void GrowTo(std::vector<T>& values, int64_t size) {
  if (static_cast<int64_t>(values.size()) < size) values.resize(static_cast<size_t>(size));
}

// A group's activations and gradients: memory of one thread, kept and used again. Shapes: R rows of
// nodes, B instances, H hidden, K columns of projections (4H, with a TSP in the group 5H: keys,
// values, logit keys, queries of the last node, of the first).
template <typename T>
struct GraphTransformerGroup {
  int32_t first = 0;  // instance of the batch
  int32_t count = 0;  // B
  int64_t columns = 0;
  bool bf16 = false;  // products of encoder and projections, where the pass HasBf16; before Encode
  std::vector<int32_t> first_rows;  // [B + 1]
  std::vector<T> features;          // [R, padded features]
  std::vector<T> edges;             // [kEdgeFeatures, N, N] of each instance
  std::vector<const T*> edge_starts;
  std::vector<T> distances;    // [N, N] of one instance
  std::vector<T> nodes;        // [R, H]
  std::vector<T> saved;        // the encoder's
  std::vector<T> scratch;      // the encoder's
  std::vector<T> projected;    // [R, K]
  std::vector<float> rounded;  // the projections' in bf16
  std::vector<T> means;        // [B, H]
  std::vector<T> base;         // [B, H]
  std::vector<T> start;        // [B, H]: queries of a tour's first step
  // Gradients, of the group
  std::vector<T> d_projected;  // [R, K]
  std::vector<T> d_base;       // [B, H]
  std::vector<T> d_starts;     // [B, H]
  std::vector<T> d_nodes;      // [R, H]
  std::vector<T> depot_rows;   // [B, H] and their features
  // Gradients, summed over the groups of a step until Finish
  std::vector<T> d_projection;  // [5H, H] by the folded weights
  std::vector<T> d_start;       // [H]
  std::vector<T> d_embedding;   // [2, H, padded features]
};

// Const functions may run on several threads at once, each with a group of its own.
template <typename T>
class GraphTransformerPass {
 public:
  GraphTransformerPass(const GraphTransformerOptions& options, Isa isa);

  const ParameterLayout& layout() const { return layout_; }
  const NetworkInputs& inputs() const { return inputs_; }
  // After each change of the flat `parameters`.
  void Pack(const T* parameters);
  // Products in bf16 are for float alone, on CPUs that have them. Before the first group with these
  // after a Pack; thread-safe:
  bool HasBf16() const { return bf16_encoder_ != nullptr; }
  void PackBf16(const T* parameters) const;

  // Instances first .. first + count - 1 of `batch`; with `keep` a Backward may follow.
  void Encode(const NetworkBatch& batch, int32_t first, int32_t count, bool keep,
              GraphTransformerGroup<T>& group) const;
  // Of the group's instance `b`.
  DecoderNodes<const T> Nodes(const GraphTransformerGroup<T>& group, int32_t b) const;

  // Before the first group of a step.
  void ClearSums(GraphTransformerGroup<T>& group) const;
  // After Encode with `keep`: zero gradients of the projections ...
  void ClearGradients(GraphTransformerGroup<T>& group) const;
  // ... which the decoder adds to; the shares' weight adds to the flat `gradient` at once ...
  DecoderNodes<T> NodeGradients(GraphTransformerGroup<T>& group, int32_t b, T* gradient) const;
  // ... and from which everything before them follows.
  void Backward(const NetworkBatch& batch, GraphTransformerGroup<T>& group, T* gradient) const;
  // After the last group of a step: adds the sums to the flat `gradient`.
  void Finish(const T* parameters, const GraphTransformerGroup<T>& group, T* gradient) const;

 private:
  const Encoder<T>& EncoderOf(const GraphTransformerGroup<T>& group) const {
    return Rounds(group) ? *bf16_encoder_ : *encoder_;
  }
  bool Rounds(const GraphTransformerGroup<T>& group) const { return group.bf16 && HasBf16(); }
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
  std::unique_ptr<Encoder<T>> bf16_encoder_;  // null: none
  std::unique_ptr<Bf16Projections> rounded_;
  mutable absl::Mutex bf16_mutex_;
  mutable bool bf16_packed_ ABSL_GUARDED_BY(bf16_mutex_) = false;
  const int64_t hidden_;
  const NetworkInputs inputs_;
  // Inputs of a node in the embedding's product: padded to whole vectors; the one after the last is
  // 1, so that the bias is a weight like the others.
  const int64_t embedded_;

  std::vector<T> embed_node_;       // packed [padded features -> H]
  std::vector<T> embed_depot_;      // likewise
  std::vector<T> folded_;           // [4H, H]: the projections' weights
  std::vector<T> projection_;       // packed [H -> 4H]
  std::vector<T> first_;            // packed [H -> H]: queries of the first node
  std::vector<T> projection_back_;  // packed [4H -> H]
  std::vector<T> first_back_;       // packed [H -> H]
  std::vector<T> graph_;            // packed [H -> H]
  std::vector<T> graph_back_;       // packed [H -> H]
  std::vector<T> start_query_;      // [H]; less the instance's base
  std::vector<T> shares_;           // [kContextShares, H]
};

}  // namespace vrp
