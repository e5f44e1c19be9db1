// The attention encoder of a graph transformer, forward and backward, on one thread for a group of
// instances. A layer is attention, skip, norm; feed-forward, skip, norm (Kool et al. 2019), with
// biased attention. Uses no tensor library, because at 51 x 128 such a library spends its time on
// memory traffic and dispatch.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/base/isa.h"

namespace vrp {

// The statistics of a normalisation.
enum class NormKind {
  kInstance,     // over an instance's nodes, per channel (biased variance, eps 1e-5)
  kFrozenBatch,  // running statistics of imported weights, which stay constant
};

// The sizes of an encoder.
struct EncoderShape {
  int32_t hidden = 128;        // H: a multiple of 16
  int32_t heads = 8;           // M: divides H
  int32_t feed_forward = 512;  // F: a multiple of 16
  int32_t layers = 3;
  int32_t edge_features = 0;  // E: number of an edge's features, which bias the attention
  NormKind norm = NormKind::kInstance;
};

// Offsets of a layer's parameters in the flat span. Weights are [out, in], as in torch.nn.Linear.
struct EncoderLayerOffsets {
  int64_t qkv_weight = 0;      // [3H, H]
  int64_t qkv_bias = 0;        // [3H]
  int64_t out_weight = 0;      // [H, H]
  int64_t out_bias = 0;        // [H]
  int64_t edge_weight = 0;     // [M, E]; logits[m, i, j] += edge_weight[m] . edges[:, i, j]
  int64_t norm1_scale = 0;     // [H]
  int64_t norm1_shift = 0;     // [H]
  int64_t norm1_mean = 0;      // [H], kFrozenBatch only
  int64_t norm1_variance = 0;  // [H], kFrozenBatch only
  int64_t feed1_weight = 0;    // [F, H]
  int64_t feed1_bias = 0;      // [F]
  int64_t feed2_weight = 0;    // [H, F]
  int64_t feed2_bias = 0;      // [H]
  int64_t norm2_scale = 0;
  int64_t norm2_shift = 0;
  int64_t norm2_mean = 0;
  int64_t norm2_variance = 0;
};

// Cycles of the time-stamp counter that passes of the causal encoder took, by part. For benchmarks.
struct EncoderCycles {
  int64_t norms = 0;
  int64_t projections = 0;  // to queries, keys and values, and from the heads' outputs
  int64_t attention = 0;
  int64_t feed_forward = 0;
  int64_t weight_gradients = 0;  // and those of the biases
};

// Instances that are encoded together. Instance b has rows first_rows[b] .. first_rows[b + 1] - 1.
// With backward, groups of 150 to 400 rows are the fastest (tests/bench/encoder_bench.cc). These
// are 16 instances of 21 nodes, 4 to 8 of 51, or 2 to 4 of 101. Smaller groups load the weights too
// often, and larger ones exceed the L2 cache. An instance's result of Forward does not depend on
// its group.
template <typename T>
struct EncoderGroup {
  std::span<const int32_t> first_rows;  // [B + 1], beginning at 0
  std::span<const T* const> edges;      // [B] of [E, N, N] each; empty without edge features
  EncoderCycles* cycles = nullptr;      // the causal encoder adds its cycles, unless null
};

// An encoder. Const functions may run on several threads at once, each with its own memory.
template <typename T>
class Encoder {
 public:
  virtual ~Encoder() = default;

  // Packs the weights for the products. Must be called before the first Forward and after each
  // change of `parameters` (the flat span).
  virtual void Pack(const T* parameters) = 0;

  // Returns the number of elements of the memory that Forward leaves for Backward (`saved`), and of
  // both passes' scratch. `saved` must not move between the two passes. For 51 nodes and the sizes
  // above, `saved` takes 0.79 MiB in float.
  virtual int64_t SavedSize(std::span<const int32_t> first_rows) const = 0;
  virtual int64_t ScratchSize(std::span<const int32_t> first_rows) const = 0;

  // Replaces the embedded nodes `x` [rows, H] by the encoded nodes. `saved` is null if no Backward
  // follows.
  virtual void Forward(const EncoderGroup<T>& group, T* x, T* saved, T* scratch) const = 0;
  // Replaces `dx` [rows, H], the gradient with respect to the encoded nodes, by the gradient with
  // respect to the embedded nodes. Adds the parameters' gradient to `gradient`, a flat span.
  virtual void Backward(const EncoderGroup<T>& group, T* dx, T* saved, T* scratch,
                        T* gradient) const = 0;
};

// Returns an encoder for `isa`. T is float or double.
template <typename T>
std::unique_ptr<Encoder<T>> MakeEncoder(const EncoderShape& shape,
                                        std::vector<EncoderLayerOffsets> layers, Isa isa);

// Returns an encoder that computes the linear layers' products in bf16, forward and backward.
// Everything else (sums, attention, norms) is in float. An instance's result still does not depend
// on its group. The CPU must be able to run `bf16`, which must not be kNone.
std::unique_ptr<Encoder<float>> MakeBf16Encoder(const EncoderShape& shape,
                                                std::vector<EncoderLayerOffsets> layers, Bf16 bf16);

// Returns an encoder of sequences, whose instances are the sequences and whose nodes are tokens. A
// token's attention sees itself and the sequence's earlier tokens only. Layers are norm, attention,
// skip; norm, feed-forward, skip (Xiong et al. 2020), with layer norms over a token's channels
// (eps 1e-5). The norm after the last layer is norm1 of one more element of `layers`, which has no
// other parameters. The shape has no edge features, and its `norm` does not matter.
template <typename T>
std::unique_ptr<Encoder<T>> MakeCausalEncoder(const EncoderShape& shape,
                                              std::vector<EncoderLayerOffsets> layers, Isa isa);
// Returns such an encoder with the products of MakeBf16Encoder. With tiles, attention's products
// are in bf16, too.
std::unique_ptr<Encoder<float>> MakeBf16CausalEncoder(const EncoderShape& shape,
                                                      std::vector<EncoderLayerOffsets> layers,
                                                      Bf16 bf16);

}  // namespace vrp
