// Causal multi-head self-attention of one sequence, forward and backward, one head and panel of
// queries at a time. attention.h explains the layout. A panel skips the keys behind its last query,
// and masks those behind a query. The first panel is the short one, because its queries see the
// fewest keys. vec.h states who may include this.
#pragma once

#include <cstdint>

#include "core/kernels/encoder/attention.h"
#include "core/kernels/encoder/attention_parts.h"
#include "core/kernels/encoder/causal_panels.h"
#include "core/kernels/simd/balanced_product.h"
#include "core/kernels/simd/store_head.h"
#include "core/kernels/simd/vec.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// Replaces scores by their powers of 2, relative to `maxima`, and those of hidden keys by 0, so
// that later tokens cannot change a bit. Writes the inverses of the powers' sums to `inverses`.
template <int64_t kVectors, typename T>
inline void CausalSoftmax(const QueryPanel& panel, T* scores, const T* maxima, T* inverses) {
  Vec<T> maximum[kVectors];
#pragma GCC unroll 4
  for (int64_t v = 0; v < kVectors; ++v) maximum[v] = Load<T>(maxima + v * kLanes<T>);
  Vec<T> sums[kVectors] = {};
  for (int64_t j = 0; j < panel.keys(); ++j) {
#pragma GCC unroll 4
    for (int64_t v = 0; v < kVectors; ++v) {
      T* const at = scores + j * kPanelColumns<T> + v * kLanes<T>;
      Vec<T> power = PowerOfScore<T>(Load<T>(at), maximum[v]);
      if (j > panel.first) power = HiddenLanes<T>(panel, j, v) ? Vec<T>{} : power;
      sums[v] += power;
      Store<T>(at, power);
    }
  }
#pragma GCC unroll 4
  for (int64_t v = 0; v < kVectors; ++v) {
    Store<T>(inverses + v * kLanes<T>, static_cast<T>(1) / sums[v]);
  }
}

// Transposes the panel's queries to scratch.queries, times the factor that makes products scores.
template <typename T>
inline void TransposeQueries(const AttentionCall<T>& c, const Head<T>& head,
                             const QueryPanel& panel) {
  TransposeHead<T>(head.queries, panel.first, panel.count, head.channels, c.scratch.queries);
  const T factor = static_cast<T>(kLog2OfE) * InverseRootOf<T>(head.channels);
  for (int64_t k = 0; k < head.channels * kPanelColumns<T>; k += kLanes<T>) {
    T* const at = c.scratch.queries + k;
    Store<T>(at, Load<T>(at) * factor);
  }
}

// Writes the head's columns of `out` for the panel's queries, at most kVectors vectors, and their
// maxima and inverse sums to c.softmax.
template <int64_t kVectors, typename T>
inline void AttendCausalPanel(const AttentionCall<T>& c, const Head<T>& head,
                              const QueryPanel& panel, View<T> out) {
  T* const maxima = c.MaximaOfHead(head.number) + panel.first;
  T* const inverses = maxima + RoundUpToLanes<T>(c.shape.nodes);
  TransposeQueries<T>(c, head, panel);
  for (int64_t v = 0; v < kVectors; ++v) {
    Store<T>(maxima + v * kLanes<T>, Broadcast<T>(static_cast<T>(-__builtin_inf())));
  }
  MultiplyBalanced<ByPanelRows<T>, kVectors>(
      BalancedProduct<T>{head.keys.data, head.keys.panel, c.scratch.queries, panel.keys(),
                         head.channels},
      StoreCausalScores<T>{c.scratch.scores, panel, maxima});
  CausalSoftmax<kVectors, T>(panel, c.scratch.scores, maxima, inverses);
  for (int64_t at = 0; at < head.channels; at += kLanes<T>) {
    MultiplyBalanced<ByPanelColumns<T>, 1>(
        BalancedProduct<T>{c.scratch.scores, 0, head.values.At(0, at), panel.count, panel.keys()},
        StoreHead<T>{out.From(panel.first), head.number * head.channels + at, head.channels - at,
                     inverses, T{1}, false});
  }
}

// Writes `out` [N, H] and c.softmax.
template <typename T>
inline void CausalAttentionForward(const AttentionCall<T>& c, View<T> out) {
  for (int64_t m = 0; m < c.shape.heads; ++m) {
    const Head<T> head(c, m);
    for (int64_t n = 0; n < QueryPanels<T>(c.shape.nodes); ++n) {
      const QueryPanel panel = QueryPanelOf<T>(c.shape.nodes, n);
      if (panel.count > kLanes<T>) {
        AttendCausalPanel<2, T>(c, head, panel, out);
      } else {
        AttendCausalPanel<1, T>(c, head, panel, out);
      }
    }
  }
}

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
