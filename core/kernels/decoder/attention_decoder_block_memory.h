// Intermediate results of a block of decoder steps. vec.h states who may include this.
#pragma once

#include <cstdint>

#include "core/kernels/decoder/attention_decoder_kernels.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// Intermediate results of a block; C columns are steps.
template <typename T>
struct BlockMemory {
  T* queries;         // [C, width], scaled by 1 / sqrt(head)
  T* query_columns;   // [width, C]
  T* masks;           // [N, C]
  T* weights;         // [M or 1, N, C]: exp(attention score - maximum)
  T* inverse_sums;    // [M, C]: of weights
  T* glimpses;        // [width, C]
  T* tanhs;           // [N, C]; logit = clip * tanh + mask
  T* exps;            // [N, C]: exp(logit - maximum)
  T* inverse_totals;  // [C]: of exps
  // Only the gradient uses the following arrays.
  T* logit_gradient;    // [N, C]
  T* glimpse_gradient;  // [width, C], divided by the attention's sums
  T* score_gradient;    // [N, C] of one head
  T* query_gradient;    // [width, C]
  T* transposed;        // [C, width]: a transposed gradient: of the glimpses, then of the queries
  T* glimpse_rows;      // [C, width]: the glimpses, transposed
  int64_t size = 0;     // of all arrays, in elements
};

// Lays out the arrays in `scratch`, which is aligned to 64 bytes. If `scratch` is null, only
// computes the size.
template <typename T>
inline BlockMemory<T> LayOut(const DecoderSizes& sizes, bool gradient, T* scratch) {
  const int64_t columns = sizes.block;
  const int64_t by_node = (sizes.nodes + 1) * columns;
  const int64_t by_channel = sizes.width * columns;
  BlockMemory<T> memory{};
  const auto take = [&](int64_t size) {
    T* const taken = scratch == nullptr ? nullptr : scratch + memory.size;
    memory.size += (size + 15) / 16 * 16;
    return taken;
  };
  memory.queries = take(by_channel);
  memory.query_columns = take(by_channel);
  memory.masks = take(sizes.padded_nodes * columns);
  memory.weights = take(by_node * (gradient ? sizes.heads : 1));
  memory.inverse_sums = take(sizes.heads * columns);
  memory.glimpses = take(by_channel);
  memory.tanhs = take(by_node);
  memory.exps = take(by_node);
  memory.inverse_totals = take(columns);
  if (!gradient) return memory;
  memory.logit_gradient = take(by_node);
  memory.glimpse_gradient = take(by_channel);
  memory.score_gradient = take(by_node);
  memory.query_gradient = take(by_channel);
  memory.transposed = take(by_channel);
  memory.glimpse_rows = take(by_channel);
  return memory;
}

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
