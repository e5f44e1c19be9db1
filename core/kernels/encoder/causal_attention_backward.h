// The backward pass of causal_attention.h. vec.h states who may include this.
#pragma once

#include <cstdint>

#include "core/kernels/encoder/attention.h"
#include "core/kernels/encoder/attention_parts.h"
#include "core/kernels/encoder/causal_attention.h"
#include "core/kernels/encoder/causal_panels.h"
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

// Writes the means of the gradients with respect to each query's probabilities, weighted by them,
// to scratch.columns. They equal the products of the query's output and the output's gradient (Dao
// et al. 2022).
template <typename T>
inline void MeansOfGradients(const AttentionCall<T>& c, const CausalAttentionGradient<T>& gradient,
                             const Head<T>& head, const QueryPanel& panel) {
  const int64_t first_column = head.number * head.channels;
  for (int64_t i = 0; i < panel.count; ++i) {
    const View<const T> out = gradient.out.From(panel.first + i);
    const View<const T> d_out = gradient.d_out.From(panel.first + i);
    T mean{0};
    if (head.channels % kLanes<T> == 0) {
      Vec<T> sum{};
      for (int64_t at = first_column; at < first_column + head.channels; at += kLanes<T>) {
        sum += Load<T>(out.At(0, at)) * Load<T>(d_out.At(0, at));
      }
      mean = Sum<T>(sum);
    } else {
      for (int64_t at = first_column; at < first_column + head.channels; ++at) {
        mean += *out.At(0, at) * *d_out.At(0, at);
      }
    }
    c.scratch.columns[i] = mean;
  }
}

// Writes the probabilities of the panel's queries to scratch.scores, and the gradients with respect
// to their scores to scratch.d_scores.
template <int64_t kVectors, typename T>
inline void CausalScoreGradients(const AttentionCall<T>& c, const Head<T>& head,
                                 const QueryPanel& panel) {
  const T* const maxima = c.MaximaOfHead(head.number) + panel.first;
  MultiplyBalanced<ByPanelRows<T>, kVectors>(
      BalancedProduct<T>{head.keys.data, head.keys.panel, c.scratch.queries, panel.keys(),
                         head.channels},
      StoreCausalProbabilities<T>{c.scratch.scores, panel, maxima,
                                  maxima + RoundUpToLanes<T>(c.shape.nodes)});
  MultiplyBalanced<ByPanelRows<T>, kVectors>(
      BalancedProduct<T>{head.values.data, head.values.panel, c.scratch.d_out, panel.keys(),
                         head.channels},
      StoreScoreGradients<T>{c.scratch.d_scores, c.scratch.scores, c.scratch.columns});
}

// Writes the gradient of the panel's queries to the head's columns of d_qkv. Adds the gradients of
// the keys and values that they see, or writes them if `overwrite`.
template <typename T>
inline void CausalHeadGradients(const AttentionCall<T>& c,
                                const CausalAttentionGradient<T>& gradient, const Head<T>& head,
                                View<const T> d_out, const QueryPanel& panel, bool overwrite) {
  const int64_t hidden = c.shape.hidden;
  const T scale = InverseRootOf<T>(head.channels);
  for (int64_t at = 0; at < head.channels; at += kLanes<T>) {
    const int64_t column = head.number * head.channels + at;
    const int64_t rest = head.channels - at;
    MultiplyBalanced<ByPanelColumns<T>, 1>(
        BalancedProduct<T>{c.scratch.d_scores, 0, head.keys.At(0, at), panel.count, panel.keys()},
        StoreHead<T>{gradient.d_qkv.From(panel.first), column, rest, nullptr, scale, false});
    MultiplyBalanced<ByPanelRows<T>, 1>(
        BalancedProduct<T>{c.scratch.d_scores, 0, head.queries.At(panel.first, at), panel.keys(),
                           panel.count},
        StoreHead<T>{gradient.d_qkv, hidden + column, rest, nullptr, scale, !overwrite});
    MultiplyBalanced<ByPanelRows<T>, 1>(
        BalancedProduct<T>{c.scratch.scores, 0, d_out.At(panel.first, at), panel.keys(),
                           panel.count},
        StoreHead<T>{gradient.d_qkv, 2 * hidden + column, rest, nullptr, T{1}, !overwrite});
  }
}

// Writes d_qkv. Reads c.softmax as CausalAttentionForward has written it.
template <typename T>
inline void CausalAttentionBackward(const AttentionCall<T>& c,
                                    const CausalAttentionGradient<T>& gradient) {
  const AttentionShape& s = c.shape;
  const int64_t panels = QueryPanels<T>(s.nodes);
  for (int64_t m = 0; m < s.heads; ++m) {
    const Head<T> head(c, m);
    const View<const T> d_out =
        HeadRows<T>(s, gradient.d_out, m * head.channels,
                    c.scratch.copies + 3 * AttentionScratch<T>::CopySize(s));
    // Begins with the last queries, which see all keys and overwrite all gradients.
    for (int64_t n = panels - 1; n >= 0; --n) {
      const QueryPanel panel = QueryPanelOf<T>(s.nodes, n);
      TransposeQueries<T>(c, head, panel);
      TransposeHead<T>(d_out, panel.first, panel.count, head.channels, c.scratch.d_out);
      MeansOfGradients<T>(c, gradient, head, panel);
      if (panel.count > kLanes<T>) {
        CausalScoreGradients<2, T>(c, head, panel);
      } else {
        CausalScoreGradients<1, T>(c, head, panel);
      }
      CausalHeadGradients<T>(c, gradient, head, d_out, panel, n == panels - 1);
    }
  }
}

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
