// The backward pass of causal_attention.h. vec.h states who may include this.
#pragma once

#include <cstdint>

#include "core/kernels/encoder/attention.h"
#include "core/kernels/encoder/attention_parts.h"
#include "core/kernels/encoder/causal_attention.h"
#include "core/kernels/encoder/causal_key_gradients.h"
#include "core/kernels/encoder/causal_panels.h"
#include "core/kernels/encoder/score_blocks.h"
#include "core/kernels/simd/balanced_product.h"
#include "core/kernels/simd/store_head.h"
#include "core/kernels/simd/vec.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// Further inputs and outputs of a sequence's backward pass.
template <typename T>
struct CausalAttentionGradient {
  View<const T> out;    // [N, H], as written by CausalAttentionForward
  View<const T> d_out;  // [N, H]
  View<T> d_qkv;        // [N, 3H]; overwritten
};

// One head's rows of the outputs and of their gradients, from column `column` on.
template <typename T>
struct HeadGradientRows {
  View<const T> out;
  View<const T> d_out;

  HeadGradientRows(const AttentionCall<T>& c, const CausalAttentionGradient<T>& gradient,
                   int64_t column) {
    const int64_t copy = AttentionScratch<T>::CopySize(c.shape);
    out = HeadRows<T>(c.shape, gradient.out, column, c.scratch.copies + 3 * copy);
    d_out = HeadRows<T>(c.shape, gradient.d_out, column, c.scratch.copies + 4 * copy);
  }
};

// Maximum number of keys of a block, for which its scores, keys, values and their gradients stay in
// the L1 cache.
inline constexpr int64_t kBlockKeys = 64;

// Writes the means of the gradients with respect to each query's probabilities, weighted by them,
// to scratch.columns. They equal the products of the query's output and the output's gradient (Dao
// et al. 2022). `out` are the head's rows of the outputs. Reads scratch.d_out, changes
// scratch.sums.
template <typename T>
inline void MeansOfGradients(const AttentionCall<T>& c, View<const T> out, int64_t channels,
                             const QueryPanel& panel) {
  TransposeHead<T>(out, panel.first, panel.count, channels, c.scratch.sums);
  for (int64_t i = 0; i < panel.count; i += kLanes<T>) {
    Vec<T> mean{};
    for (int64_t at = i; at < channels * kPanelColumns<T>; at += kPanelColumns<T>) {
      mean += Load<T>(c.scratch.sums + at) * Load<T>(c.scratch.d_out + at);
    }
    Store<T>(c.scratch.columns + i, mean);
  }
}

// Writes a block's probabilities to scratch.scores, and the gradients with respect to its scores to
// scratch.d_scores.
template <int64_t kVectors, typename T>
inline void CausalScoreGradients(const AttentionCall<T>& c, const Head<T>& head,
                                 const ScoreBlock& block) {
  const T* const maxima = c.MaximaOfHead(head.number) + block.queries.first;
  const auto product = [&](View<const T> rows, const T* right) {
    return BalancedProduct<T>{rows.At(block.first_key, 0), rows.panel, right + block.lane,
                              block.keys, head.channels};
  };
  T* const probabilities = c.scratch.scores + block.lane;
  MultiplyBalanced<ByPanelRows<T>, kVectors>(
      product(head.keys, c.scratch.queries),
      StoreCausalProbabilities<T>{probabilities, block.relative(), maxima,
                                  maxima + RoundUpToLanes<T>(c.shape.nodes)});
  MultiplyBalanced<ByPanelRows<T>, kVectors>(
      product(head.values, c.scratch.d_out),
      StoreScoreGradients<T>{c.scratch.d_scores + block.lane, probabilities,
                             c.scratch.columns + block.lane});
}

// Adds the gradients of the block's keys and values to the head's columns of `d_qkv`, or writes
// them if `overwrite`. `d_out` are the head's rows of the outputs' gradients.
template <typename T>
inline void AddKeyGradients(const AttentionCall<T>& c, const Head<T>& head, View<const T> d_out,
                            const ScoreBlock& block, View<T> d_qkv, bool overwrite) {
  const int64_t hidden = c.shape.hidden;
  const View<T> to = d_qkv.From(block.first_key);
  for (int64_t at = 0; at < head.channels; at += kLanes<T>) {
    const int64_t column = head.number * head.channels + at;
    const int64_t rest = head.channels - at;
    StoreKeyGradients<T>({c.scratch.d_scores + block.lane, c.scratch.scores + block.lane,
                          head.queries.At(block.queries.first, at),
                          d_out.At(block.queries.first, at), block.queries.count,
                          StoreHead<T>{to, hidden + column, rest, nullptr,
                                       InverseRootOf<T>(head.channels), !overwrite},
                          StoreHead<T>{to, 2 * hidden + column, rest, nullptr, T{1}, !overwrite}},
                         block.keys);
  }
}

// Writes the head's columns of d_qkv. Begins with the last queries, which see all keys and
// overwrite all gradients.
template <typename T>
inline void CausalHeadBackward(const AttentionCall<T>& c,
                               const CausalAttentionGradient<T>& gradient, const Head<T>& head) {
  const AttentionShape& s = c.shape;
  const int64_t column = head.number * head.channels;
  const HeadGradientRows<T> rows(c, gradient, column);
  const int64_t last = QueryPanels<T>(s.nodes) - 1;
  for (int64_t n = last; n >= 0; --n) {
    const QueryPanel panel = QueryPanelOf<T>(s.nodes, n);
    TransposeQueries<T>(c, head, panel);
    TransposeHead<T>(rows.d_out, panel.first, panel.count, head.channels, c.scratch.d_out);
    MeansOfGradients<T>(c, rows.out, head.channels, panel);
    ForEachScoreBlock<T>(panel, kBlockKeys, [&]<int64_t kVectors>(const ScoreBlock& block) {
      CausalScoreGradients<kVectors, T>(c, head, block);
      AddWeightedRows<kVectors, T>(block, head.keys, head.channels, c.scratch.d_scores + block.lane,
                                   c.scratch.sums);
      AddKeyGradients<T>(c, head, rows.d_out, block, gradient.d_qkv, n == last);
    });
    StoreTransposedHead<T>(c.scratch.sums, panel.count, head.channels, nullptr,
                           InverseRootOf<T>(head.channels), gradient.d_qkv.From(panel.first),
                           column);
  }
}

// Writes d_qkv. Reads c.softmax as CausalAttentionForward has written it.
template <typename T>
inline void CausalAttentionBackward(const AttentionCall<T>& c,
                                    const CausalAttentionGradient<T>& gradient) {
  for (int64_t m = 0; m < c.shape.heads; ++m) {
    CausalHeadBackward<T>(c, gradient, Head<T>(c, m));
  }
}

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
