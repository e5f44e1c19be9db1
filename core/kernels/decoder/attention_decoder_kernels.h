// Functions of attention_decoder.cc that depend on the instruction set. They score decoder steps,
// in blocks or one by one, and compute the gradient. The caller decides which nodes are allowed and
// tracks the trajectories. Strides and memory sizes count elements of T.
#pragma once

#include <cstdint>

#include "core/kernels/decoder/attention_decoder.h"

namespace vrp::simd {

// Sizes derived from the decoder, the instance and the vector length.
struct DecoderSizes {
  int64_t nodes = 0;         // N
  int64_t padded_nodes = 0;  // rounded up to whole vectors
  int64_t hidden = 0;        // H
  int64_t heads = 0;         // M
  int64_t head = 0;          // H / M
  int64_t padded_head = 0;   // rounded up to whole vectors, with zeros
  int64_t width = 0;         // M * padded_head
  // Stride of packed nodes: a cache line more than the width, so that one head's columns spread
  // over the cache's sets.
  int64_t row = 0;
  int64_t block = 0;  // maximum number of steps scored together
  double clip = 10;
};

// A copy of an instance's nodes laid out for the products, or the sum of their gradients, which has
// no columns.
template <typename T>
struct PackedNodes {
  T* keys = nullptr;               // [N, row]
  T* values = nullptr;             // [N, row]
  T* logit_keys = nullptr;         // [N, row]
  T* key_columns = nullptr;        // [width, padded_nodes]
  T* logit_key_columns = nullptr;  // [width, padded_nodes]
};

// Special values of DecoderSteps::choices, which request the likeliest node or a draw. Other values
// are given nodes. Either all steps of a call are drawn, or none.
inline constexpr int32_t kLikeliest = -1;
inline constexpr int32_t kDrawn = -2;

// Steps scored together: arrays of `count` rows, at most `block`.
template <typename T>
struct DecoderSteps {
  int32_t count = 0;
  int32_t* currents = nullptr;  // the vehicle's node; -1: the query is start_query
  int32_t* firsts = nullptr;    // a TSP's first node; -1: none
  T* shares = nullptr;          // [count, kContextShares]
  T* masks = nullptr;           // [count, padded_nodes]: 0 or -inf; -inf beyond N
  int32_t* choices = nullptr;   // input: kLikeliest, kDrawn or a node; output: the chosen node
  double* uniforms = nullptr;   // kDrawn: in [0, 1)
  T inverse_temperature = 1;
  int32_t* likeliest = nullptr;  // out
  T* log_likelihoods = nullptr;  // out: of the choices
  T* scores = nullptr;           // out: [block, padded_nodes], of all nodes; null: not needed
  // Only the second pass uses the following fields.
  T* weights = nullptr;        // of the log-likelihoods in the loss
  int32_t* allowed = nullptr;  // numbers of allowed nodes
  T label_smoothing = 0;       // makes log_likelihoods those of the smoothed terms
};

// Functions of one instruction set. `scratch` has scratch() elements. `scratch` and the arrays of
// `packed`, `sum` and `steps` are 64-byte aligned.
template <typename T>
struct DecoderKernels {
  DecoderSizes (*sizes)(const DecoderShape& shape, int64_t nodes);
  int64_t (*scratch)(const DecoderSizes& sizes, bool gradient);
  // Copies the nodes. Writes columns if `to` has them.
  void (*pack)(const DecoderSizes& sizes, const DecoderNodes<const T>& nodes,
               const PackedNodes<T>& to);
  // Chooses nodes. Results are bit-identical for any grouping of steps.
  void (*choose)(const DecoderSizes& sizes, const DecoderNodes<const T>& nodes,
                 const PackedNodes<T>& packed, const DecoderSteps<T>& steps, T* scratch);
  // Scores the choices. Unless sum.keys is null, adds the gradient with respect to keys, values and
  // logit keys to `sum`, and the rest to `gradient`.
  void (*add_gradient)(const DecoderSizes& sizes, const DecoderNodes<const T>& nodes,
                       const PackedNodes<T>& packed, const DecoderSteps<T>& steps,
                       const PackedNodes<T>& sum, const DecoderNodes<T>& gradient, T* scratch);
  // Adds `sum` to the keys, values and logit keys of `gradient`.
  void (*unpack_gradient)(const DecoderSizes& sizes, const PackedNodes<T>& sum,
                          const DecoderNodes<T>& gradient);
};

namespace avx2 {
template <typename T>
DecoderKernels<T> GetDecoderKernels();
}  // namespace avx2
namespace avx512 {
template <typename T>
DecoderKernels<T> GetDecoderKernels();
}  // namespace avx512

}  // namespace vrp::simd
