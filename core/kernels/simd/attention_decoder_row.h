// One step of a decoder by itself: a vector's lanes are nodes, keys lie by columns, and a product
// is a walk over them. See vec.h for who may include this.
//
// Every sum runs in the order in which attention_decoder_block.h runs it, so that a step's results
// do not depend on which of the two scored it.
#pragma once

#include "core/kernels/simd/attention_decoder_kernels.h"
#include "core/kernels/simd/attention_decoder_query.h"
#include "core/kernels/simd/attention_decoder_transpose.h"
#include "core/kernels/simd/math.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

template <typename T>
struct RowMemory {
  T* query;         // [width]
  T* weights;       // [M, padded_nodes]: exp of the attention scores, less their largest
  T* inverse_sums;  // [M]
  T* glimpse;       // [width]
  T* logits;        // [padded_nodes]
  T* exps;          // [padded_nodes]
  int64_t size = 0;
};

template <typename T>
inline RowMemory<T> LayOutRow(const DecoderSizes& sizes, T* scratch) {
  RowMemory<T> memory{};
  const auto take = [&](int64_t size) {
    T* const taken = scratch == nullptr ? nullptr : scratch + memory.size;
    memory.size += (size + 15) / 16 * 16;
    return taken;
  };
  memory.query = take(sizes.width);
  memory.weights = take(sizes.heads * sizes.padded_nodes);
  memory.inverse_sums = take(sizes.heads);
  memory.glimpse = take(sizes.width);
  memory.logits = take(sizes.padded_nodes);
  memory.exps = take(sizes.padded_nodes);
  return memory;
}

// Calls visit(j, sum) for kVectors vectors of nodes from j on: the products of `row` [inner] with
// columns [inner, padded].
template <int64_t kVectors, typename T, typename Visit>
inline __attribute__((always_inline)) void DotSome(const T* row, const T* columns, int64_t inner,
                                                   int64_t padded, int64_t j, const Visit& visit) {
  Vec<T> sums[kVectors] = {};
  const T* column = columns + j;
  for (int64_t k = 0; k < inner; ++k, column += padded) {
    const Vec<T> value = Broadcast<T>(row[k]);
#pragma GCC unroll 8
    for (int64_t v = 0; v < kVectors; ++v) sums[v] += value * Load<T>(column + v * kLanes<T>);
  }
#pragma GCC unroll 8
  for (int64_t v = 0; v < kVectors; ++v) visit(j + v * kLanes<T>, sums[v]);
}
template <typename T, typename Visit>
inline __attribute__((always_inline)) void DotColumns(const T* row, const T* columns, int64_t inner,
                                                      int64_t padded, const Visit& visit) {
  int64_t j = 0;
  for (; j + 4 * kLanes<T> <= padded; j += 4 * kLanes<T>) {
    DotSome<4, T>(row, columns, inner, padded, j, visit);
  }
  for (; j + 2 * kLanes<T> <= padded; j += 2 * kLanes<T>) {
    DotSome<2, T>(row, columns, inner, padded, j, visit);
  }
  if (j < padded) DotSome<1, T>(row, columns, inner, padded, j, visit);
}

template <typename T>
inline void AttentionWeights(const DecoderSizes& sizes, const PackedNodes<T>& packed, const T* mask,
                             const RowMemory<T>& memory) {
  for (int64_t m = 0; m < sizes.heads; ++m) {
    T* const weights = memory.weights + m * sizes.padded_nodes;
    const int64_t begin = m * sizes.padded_head;
    Vec<T> largest = Broadcast<T>(static_cast<T>(-__builtin_inf()));
    DotColumns<T>(memory.query + begin, packed.key_columns + begin * sizes.padded_nodes,
                  sizes.padded_head, sizes.padded_nodes, [&](int64_t j, Vec<T> sum) {
                    const Vec<T> score = sum + Load<T>(mask + j);
                    largest = Max<T>(largest, score);
                    Store<T>(weights + j, score);
                  });
    const Vec<T> most = MaxOverLanes<T>(largest);
    Vec<T> sum = {};
    for (int64_t j = 0; j < sizes.padded_nodes; j += kLanes<T>) {
      const Vec<T> weight = Exp<T>(Load<T>(weights + j) - most);
      Store<T>(weights + j, weight);
      sum += weight;
    }
    memory.inverse_sums[m] = static_cast<T>(1) / SumOverLanes<T>(sum);
  }
}

// kVectors vectors of the glimpse from v on.
template <int64_t kVectors, typename T>
inline __attribute__((always_inline)) void Glimpse(const DecoderSizes& sizes, const T* values,
                                                   const RowMemory<T>& memory, int64_t v) {
  const T* weights[kVectors];
  int64_t heads[kVectors];
#pragma GCC unroll 8
  for (int64_t i = 0; i < kVectors; ++i) {
    heads[i] = (v + i) * kLanes<T> / sizes.padded_head;
    weights[i] = memory.weights + heads[i] * sizes.padded_nodes;
  }
  Vec<T> sums[kVectors] = {};
  const T* value = values + v * kLanes<T>;
  for (int64_t n = 0; n < sizes.nodes; ++n, value += sizes.row) {
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

// The first node whose running sum of exps exceeds the uniform number's share of the whole.
template <typename T>
inline int32_t DrawFromRow(int64_t nodes, const T* exps, double uniform) {
  T total = 0;
  for (int64_t n = 0; n < nodes; ++n) total += exps[n];
  const T target = static_cast<T>(uniform * static_cast<double>(total));
  T sum = 0;
  for (int64_t n = 0; n < nodes; ++n) {
    sum += exps[n];
    if (sum > target) return static_cast<int32_t>(n);
  }
  int64_t last = nodes - 1;
  while (exps[last] <= 0) --last;
  return static_cast<int32_t>(last);
}

// Choice and log-likelihood of step r from its logits.
template <typename T>
inline void ChooseOfRow(const DecoderSizes& sizes, const DecoderSteps<T>& steps, int64_t r,
                        Vec<T> largest_lanes, const RowMemory<T>& memory) {
  const Vec<T> largest = MaxOverLanes<T>(largest_lanes);
  int32_t likeliest = 0;
  while (memory.logits[likeliest] != largest[0]) ++likeliest;
  Vec<T> sum = {};
  for (int64_t j = 0; j < sizes.padded_nodes; j += kLanes<T>) {
    const Vec<T> value = Exp<T>(Load<T>(memory.logits + j) - largest);
    Store<T>(memory.exps + j, value);
    sum += value;
  }
  const T log_sum = Log<T>(Broadcast<T>(SumOverLanes<T>(sum)))[0];
  int32_t& choice = steps.choices[r];
  if (choice == kLikeliest) choice = likeliest;
  if (choice == kDrawn) {
    if (steps.inverse_temperature != 1) {
      for (int64_t j = 0; j < sizes.padded_nodes; j += kLanes<T>) {
        const Vec<T> less = Load<T>(memory.logits + j) - largest;
        Store<T>(memory.exps + j, Exp<T>(less * steps.inverse_temperature));
      }
    }
    choice = DrawFromRow<T>(sizes.nodes, memory.exps, steps.uniforms[r]);
  }
  steps.likeliest[r] = likeliest;
  steps.log_likelihoods[r] = (memory.logits[choice] - largest[0]) - log_sum;
}

template <typename T>
inline void ChooseRow(const DecoderSizes& sizes, const DecoderNodes<const T>& nodes,
                      const PackedNodes<T>& packed, const DecoderSteps<T>& steps, int64_t r,
                      const RowMemory<T>& memory) {
  const T* const mask = steps.masks + r * sizes.padded_nodes;
  WriteQuery<T>(sizes, nodes, steps, r, memory.query);
  AttentionWeights<T>(sizes, packed, mask, memory);
  const int64_t vectors = sizes.width / kLanes<T>;
  int64_t v = 0;
  for (; v + 8 <= vectors; v += 8) Glimpse<8, T>(sizes, packed.values, memory, v);
  for (; v < vectors; ++v) Glimpse<1, T>(sizes, packed.values, memory, v);
  const T scale = static_cast<T>(1 / __builtin_sqrt(static_cast<double>(sizes.hidden)));
  const Vec<T> clip = Broadcast<T>(static_cast<T>(sizes.clip));
  Vec<T> largest = Broadcast<T>(static_cast<T>(-__builtin_inf()));
  DotColumns<T>(memory.glimpse, packed.logit_key_columns, sizes.width, sizes.padded_nodes,
                [&](int64_t j, Vec<T> sum) {
                  const Vec<T> logit = clip * Tanh<T>(sum * scale) + Load<T>(mask + j);
                  largest = Max<T>(largest, logit);
                  Store<T>(memory.logits + j, logit);
                });
  ChooseOfRow<T>(sizes, steps, r, largest, memory);
}

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
