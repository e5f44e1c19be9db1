// What attention_decoder.cc needs of the instruction set: steps of a decoder scored a block at a
// time or one by one, and their gradient. Which nodes are allowed, and where trajectories stand,
// comes from outside. All sizes count elements of T.
#pragma once

#include <cstdint>

#include "core/kernels/decoder/attention_decoder.h"

namespace vrp::simd {

// Sizes that follow from the decoder, the instance and the vectors' length.
struct DecoderSizes {
  int64_t nodes = 0;         // N
  int64_t padded_nodes = 0;  // to whole vectors
  int64_t hidden = 0;        // H
  int64_t heads = 0;         // M
  int64_t head = 0;          // H / M
  int64_t padded_head = 0;   // to whole vectors, with zeros
  int64_t width = 0;         // M * padded_head
  int64_t row = 0;           // between rows of packed nodes: a cache line more than the width, so
                             // that one head's columns spread over the cache's sets
  int64_t block = 0;         // steps that are scored together at most
  double clip = 10;
};

// A copy of an instance's nodes as the products want them; or the sum of their gradients, which has
// no columns.
template <typename T>
struct PackedNodes {
  T* keys = nullptr;               // [N, row]
  T* values = nullptr;             // [N, row]
  T* logit_keys = nullptr;         // [N, row]
  T* key_columns = nullptr;        // [width, padded_nodes]
  T* logit_key_columns = nullptr;  // [width, padded_nodes]
};

// What a step asks for: the choice of the likeliest node, a draw, or a given node's log-likelihood.
inline constexpr int32_t kLikeliest = -1;
inline constexpr int32_t kDrawn = -2;

// Steps to be scored together; arrays of `count` rows, at most `block`.
template <typename T>
struct DecoderSteps {
  int32_t count = 0;
  int32_t* currents = nullptr;  // where the vehicle is; -1: the query is start_query
  int32_t* firsts = nullptr;    // a TSP's first node; -1: none
  T* shares = nullptr;          // [count, kContextShares]
  T* masks = nullptr;           // [count, padded_nodes]: 0 or -inf; -inf beyond N
  int32_t* choices = nullptr;   // kLikeliest and kDrawn are replaced by the node chosen
  double* uniforms = nullptr;   // kDrawn: in [0, 1)
  T inverse_temperature = 1;
  int32_t* likeliest = nullptr;  // out
  T* log_likelihoods = nullptr;  // out, of the choices
  T* scores = nullptr;  // out: [block, padded_nodes], all nodes' log-likelihoods; null: not wanted
  // Of the second pass alone.
  T* weights = nullptr;        // in the loss
  int32_t* allowed = nullptr;  // nodes that are
  T label_smoothing = 0;       // log_likelihoods are then of the smoothed terms
};

// Functions of one instruction set. `scratch` has Scratch elements, 64-byte aligned as everything
// here.
template <typename T>
struct DecoderKernels {
  DecoderSizes (*sizes)(const DecoderShape& shape, int64_t nodes);
  int64_t (*scratch)(const DecoderSizes& sizes, bool gradient);
  // Columns are written where `to` has them.
  void (*pack)(const DecoderSizes& sizes, const DecoderNodes<const T>& nodes,
               const PackedNodes<T>& to);
  // Results are the same, bit for bit, however steps are put together.
  void (*choose)(const DecoderSizes& sizes, const DecoderNodes<const T>& nodes,
                 const PackedNodes<T>& packed, const DecoderSteps<T>& steps, T* scratch);
  // Scores the choices; then, unless sum.keys is null, adds the gradient by keys, values and logit
  // keys to `sum`, the rest to `gradient`.
  void (*add_gradient)(const DecoderSizes& sizes, const DecoderNodes<const T>& nodes,
                       const PackedNodes<T>& packed, const DecoderSteps<T>& steps,
                       const PackedNodes<T>& sum, const DecoderNodes<T>& gradient, T* scratch);
  // gradient += sum, by keys, values and logit keys.
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
