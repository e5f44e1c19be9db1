// Causal multi-head self-attention of one sequence, forward and backward, one head and panel of
// queries at a time. attention.h explains the layout. A panel skips the keys behind its last query,
// and masks those behind a query. The first panel is the short one, because its queries see the
// fewest keys. Outputs are transposed, too, until they are stored, so that a product's step loads
// fewer operands than it has multiply-adds. vec.h states who may include this.
#pragma once

#include <cstdint>

#include "core/kernels/encoder/attention.h"
#include "core/kernels/encoder/attention_parts.h"
#include "core/kernels/encoder/causal_panels.h"
#include "core/kernels/encoder/score_blocks.h"
#include "core/kernels/simd/balanced_product.h"
#include "core/kernels/simd/store_head.h"
#include "core/kernels/simd/vec.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// Replaces a block's scores by their powers of 2, relative to `maxima`, and those of hidden keys by
// 0, so that later tokens cannot change a bit. Adds the powers to `sums`.
template <int64_t kVectors, typename T>
inline void CausalPowers(const ScoreBlock& block, T* scores, const T* maxima, T* sums) {
  Vec<T> maximum[kVectors];
  Vec<T> sum[kVectors];
#pragma GCC unroll 4
  for (int64_t v = 0; v < kVectors; ++v) {
    maximum[v] = Load<T>(maxima + v * kLanes<T>);
    sum[v] = Load<T>(sums + v * kLanes<T>);
  }
  const QueryPanel queries = block.relative();
  for (int64_t j = 0; j < block.keys; ++j) {
#pragma GCC unroll 4
    for (int64_t v = 0; v < kVectors; ++v) {
      T* const at = scores + j * kPanelColumns<T> + v * kLanes<T>;
      Vec<T> power = PowerOfScore<T>(Load<T>(at), maximum[v]);
      if (j > queries.first) power = HiddenLanes<T>(queries, j, v) ? Vec<T>{} : power;
      sum[v] += power;
      Store<T>(at, power);
    }
  }
#pragma GCC unroll 4
  for (int64_t v = 0; v < kVectors; ++v) Store<T>(sums + v * kLanes<T>, sum[v]);
}

// Transposes the panel's queries to scratch.queries, times the factor that makes products scores.
template <typename T>
inline void TransposeQueries(const AttentionCall<T>& c, const Head<T>& head,
                             const QueryPanel& panel) {
  TransposeHead<T>(head.queries, panel.first, panel.count, head.channels, c.scratch.queries);
  const T factor = ScoreFactor<T>(head.channels);
  for (int64_t k = 0; k < head.channels * kPanelColumns<T>; k += kLanes<T>) {
    T* const at = c.scratch.queries + k;
    Store<T>(at, Load<T>(at) * factor);
  }
}

// Adds the products of a block's weights and the rows of its keys to `sums` [head channels, Q], or
// writes them if the block is the first of its queries' lanes.
template <int64_t kVectors, typename T>
inline void AddWeightedRows(const ScoreBlock& block, View<const T> rows, int64_t channels,
                            const T* weights, T* sums) {
  for (int64_t at = 0; at < channels; at += kPanelColumns<T>) {
    const int64_t rest = channels - at;
    MultiplyBalanced<ByPanelColumns<T>, kVectors>(
        BalancedProduct<T>{rows.At(block.first_key, at), 0, weights,
                           rest < kPanelColumns<T> ? rest : kPanelColumns<T>, block.keys},
        StoreTransposed<T>{sums + at * kPanelColumns<T> + block.lane, block.first_key > 0});
  }
}

// Writes the head's columns of `out` for the panel's queries, and their maxima and inverse sums to
// c.softmax.
template <typename T>
inline void AttendCausalPanel(const AttentionCall<T>& c, const Head<T>& head,
                              const QueryPanel& panel, View<T> out) {
  constexpr int64_t kColumns = kPanelColumns<T>;
  T* const maxima = c.MaximaOfHead(head.number) + panel.first;
  T* const inverses = maxima + RoundUpToLanes<T>(c.shape.nodes);
  T* const sums = c.scratch.columns;
  TransposeQueries<T>(c, head, panel);
  for (int64_t i = 0; i < panel.count; i += kLanes<T>) {
    Store<T>(maxima + i, Broadcast<T>(static_cast<T>(-__builtin_inf())));
    Store<T>(sums + i, Vec<T>{});
  }
  ForEachScoreBlock<T>(panel, c.shape.nodes, [&]<int64_t kVectors>(const ScoreBlock& block) {
    MultiplyBalanced<ByPanelRows<T>, kVectors>(
        BalancedProduct<T>{head.keys.At(block.first_key, 0), head.keys.panel,
                           c.scratch.queries + block.lane, block.keys, head.channels},
        StoreCausalScores<T>{c.scratch.scores + block.first_key * kColumns + block.lane,
                             block.relative(), maxima + block.lane});
  });
  ForEachScoreBlock<T>(panel, c.shape.nodes, [&]<int64_t kVectors>(const ScoreBlock& block) {
    T* const scores = c.scratch.scores + block.first_key * kColumns + block.lane;
    CausalPowers<kVectors, T>(block, scores, maxima + block.lane, sums + block.lane);
    AddWeightedRows<kVectors, T>(block, head.values, head.channels, scores, c.scratch.sums);
  });
  for (int64_t i = 0; i < panel.count; i += kLanes<T>) {
    Store<T>(inverses + i, static_cast<T>(1) / Load<T>(sums + i));
  }
  StoreTransposedHead<T>(c.scratch.sums, panel.count, head.channels, inverses, T{1},
                         out.From(panel.first), head.number * head.channels);
}

// Writes `out` [N, H] and c.softmax.
template <typename T>
inline void CausalAttentionForward(const AttentionCall<T>& c, View<T> out) {
  for (int64_t m = 0; m < c.shape.heads; ++m) {
    const Head<T> head(c, m);
    for (int64_t n = 0; n < QueryPanels<T>(c.shape.nodes); ++n) {
      AttendCausalPanel<T>(c, head, QueryPanelOf<T>(c.shape.nodes, n), out);
    }
  }
}

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
