// Scores of a single decoder step. A vector's lanes are nodes. Keys are stored by columns, which a
// product reads in order. vec.h states who may include this.
//
// All sums run in the same order as in attention_decoder_block.h, so that a step's results do not
// depend on which header's functions score the step.
#pragma once

#include "core/kernels/decoder/attention_decoder_dots.h"
#include "core/kernels/decoder/attention_decoder_kernels.h"
#include "core/kernels/decoder/attention_decoder_query.h"
#include "core/kernels/decoder/attention_decoder_row_choice.h"
#include "core/kernels/decoder/attention_decoder_transpose.h"
#include "core/kernels/simd/math.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// Computes the attention scores of kHeads heads from head m on, and the largest score of each.
template <int64_t kHeads, typename T>
inline void AttentionScores(const DecoderSizes& sizes, const PackedNodes<T>& packed, const T* mask,
                            const RowMemory<T>& memory, int64_t m) {
  T* const weights = memory.weights + m * sizes.padded_nodes;
  const int64_t begin = m * sizes.padded_head;
  Vec<T> largest[kHeads];
  for (int64_t r = 0; r < kHeads; ++r) {
    largest[r] = Broadcast<T>(static_cast<T>(-__builtin_inf()));
  }
  DotColumns<kHeads, T>(
      memory.query + begin, packed.key_columns + begin * sizes.padded_nodes, sizes.padded_head,
      sizes.padded_nodes, [&](int64_t r, int64_t j, Vec<T> sum) __attribute__((always_inline)) {
        const Vec<T> score = sum + Load<T>(mask + j);
        largest[r] = Max<T>(largest[r], score);
        Store<T>(weights + r * sizes.padded_nodes + j, score);
      });
  for (int64_t r = 0; r < kHeads; ++r) {
    memory.largest[m + r] = MaxOverLanes<T>(largest[r])[0];
  }
}

// Computes the attention weights. Computes the scores of all heads first, so that the latencies of
// the exponentials overlap.
template <typename T>
inline void AttentionWeights(const DecoderSizes& sizes, const PackedNodes<T>& packed, const T* mask,
                             const RowMemory<T>& memory) {
  int64_t first = 0;
  for (; first + 2 <= sizes.heads; first += 2) {
    AttentionScores<2, T>(sizes, packed, mask, memory, first);
  }
  if (first < sizes.heads) AttentionScores<1, T>(sizes, packed, mask, memory, first);
  for (int64_t m = 0; m < sizes.heads; ++m) {
    T* const weights = memory.weights + m * sizes.padded_nodes;
    const Vec<T> largest = Broadcast<T>(memory.largest[m]);
    Vec<T> sum = {};
    for (int64_t j = 0; j < sizes.padded_nodes; j += kLanes<T>) {
      const Vec<T> weight = Exp<T>(Load<T>(weights + j) - largest);
      Store<T>(weights + j, weight);
      sum += weight;
    }
    memory.inverse_sums[m] = static_cast<T>(1) / SumOverLanes<T>(sum);
  }
}

// Writes the nodes that a mask allows. Returns their number.
template <typename T>
inline int64_t ListAllowed(int64_t nodes, const T* mask, int32_t* list) {
  int64_t count = 0;
  for (int64_t n = 0; n < nodes; ++n) {
    list[count] = static_cast<int32_t>(n);
    count += mask[n] == 0 ? 1 : 0;
  }
  return count;
}

// Computes kVectors vectors of the glimpse from v on. Skips the values of forbidden nodes, because
// most of the time goes into reading values from the L2 cache.
template <int64_t kVectors, typename T>
inline __attribute__((always_inline)) void Glimpse(const DecoderSizes& sizes, const T* values,
                                                   const RowMemory<T>& memory, int64_t allowed,
                                                   int64_t v) {
  const T* weights[kVectors];
  int64_t heads[kVectors];
#pragma GCC unroll 8
  for (int64_t i = 0; i < kVectors; ++i) {
    heads[i] = (v + i) * kLanes<T> / sizes.padded_head;
    weights[i] = memory.weights + heads[i] * sizes.padded_nodes;
  }
  Vec<T> sums[kVectors] = {};
  for (int64_t k = 0; k < allowed; ++k) {
    const int64_t n = memory.allowed[k];
    const T* const value = values + n * sizes.row + v * kLanes<T>;
#pragma GCC unroll 8
    for (int64_t i = 0; i < kVectors; ++i) {
      sums[i] += Broadcast<T>(weights[i][n]) * Load<T>(value + i * kLanes<T>);
    }
  }
#pragma GCC unroll 8
  for (int64_t i = 0; i < kVectors; ++i) {
    Store<T>(memory.glimpse + (v + i) * kLanes<T>, sums[i] * memory.inverse_sums[heads[i]]);
  }
}

// Scores step r. Writes its choice and log-likelihood.
template <typename T>
inline void ChooseRow(const DecoderSizes& sizes, const DecoderNodes<const T>& nodes,
                      const PackedNodes<T>& packed, const DecoderSteps<T>& steps, int64_t r,
                      const RowMemory<T>& memory) {
  const T* const mask = steps.masks + r * sizes.padded_nodes;
  WriteQuery<T>(sizes, nodes, steps, r, memory.query);
  AttentionWeights<T>(sizes, packed, mask, memory);
  const int64_t vectors = sizes.width / kLanes<T>;
  int64_t v = 0;
  const int64_t allowed = ListAllowed<T>(sizes.nodes, mask, memory.allowed);
  for (; v + 8 <= vectors; v += 8) Glimpse<8, T>(sizes, packed.values, memory, allowed, v);
  for (; v < vectors; ++v) Glimpse<1, T>(sizes, packed.values, memory, allowed, v);
  const T scale = static_cast<T>(1 / __builtin_sqrt(static_cast<double>(sizes.hidden)));
  const Vec<T> clip = Broadcast<T>(static_cast<T>(sizes.clip));
  Vec<T> largest = Broadcast<T>(static_cast<T>(-__builtin_inf()));
  DotColumns<1, T>(
      memory.glimpse, packed.logit_key_columns, sizes.width,
      sizes.padded_nodes, [&](int64_t, int64_t j, Vec<T> sum) __attribute__((always_inline)) {
        const Vec<T> logit = clip * Tanh<T>(sum * scale) + Load<T>(mask + j);
        largest = Max<T>(largest, logit);
        Store<T>(memory.logits + j, logit);
      });
  ChooseFromLogits<T>(sizes, steps, r, largest, memory);
}

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
