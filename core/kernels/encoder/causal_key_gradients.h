// The gradients of a block's keys and values in causal attention. vec.h states who may include
// this.
#pragma once

#include <cstdint>

#include "core/kernels/simd/balanced_product.h"
#include "core/kernels/simd/panels.h"
#include "core/kernels/simd/store_head.h"
#include "core/kernels/simd/vec.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// One vector of channels of the gradients of a block's keys and values, [keys, lanes]. They are
// products of the block's arrays [keys, kPanelColumns] with rows of its queries. Both products are
// computed together, because blocks of one vector are short and their beginnings and ends slow.
template <typename T>
struct KeyGradients {
  const T* d_scores;
  const T* probabilities;
  const T* queries;  // rows kPanelColumns apart
  const T* d_out;    // rows kPanelColumns apart
  int64_t count;     // of queries
  StoreHead<T> d_keys;
  StoreHead<T> d_values;
};

template <int64_t kRows, typename T>
__attribute__((noinline)) void AddKeyGradientBlock(const KeyGradients<T>& g, int64_t key) {
  constexpr int64_t kColumns = kPanelColumns<T>;
  Vec<T> d_keys[kRows][1] = {};
  Vec<T> d_values[kRows][1] = {};
  const T* d_score = g.d_scores + key * kColumns;
  const T* probability = g.probabilities + key * kColumns;
  const T* query = g.queries;
  const T* d_out = g.d_out;
  const int64_t count = g.count;
#pragma GCC unroll 4
  for (int64_t q = 0; q < count; ++q) {
    AddStep<T, PlainSteps<T>, kColumns>(d_score + q, query + q * kColumns, d_keys);
    AddStep<T, PlainSteps<T>, kColumns>(probability + q, d_out + q * kColumns, d_values);
  }
  g.d_keys(d_keys, key);
  g.d_values(d_values, key);
}

// Writes the gradients of `keys` keys and values, or adds them.
template <typename T>
inline void StoreKeyGradients(const KeyGradients<T>& gradients, int64_t keys) {
  ForEachBalancedBlock<kBalancedRows<T>>(
      keys, [&]<int64_t kHeight>(int64_t key) { AddKeyGradientBlock<kHeight>(gradients, key); });
}

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
