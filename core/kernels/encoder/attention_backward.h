// The backward pass of attention.h, which explains the layout. vec.h states who may include this.
#pragma once

#include <cstdint>

#include "core/kernels/encoder/attention.h"
#include "core/kernels/encoder/attention_parts.h"
#include "core/kernels/simd/balanced_product.h"
#include "core/kernels/simd/store_head.h"
#include "core/kernels/simd/vec.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// An epilogue that turns products of keys and queries into probabilities.
template <typename T>
struct StoreProbabilities {
  T* scores;
  ScoreBias<T> bias;
  const T* maxima;    // [Q]
  const T* inverses;  // [Q]

  template <int64_t kRows, int64_t kVectors>
  inline __attribute__((always_inline)) void operator()(Vec<T> (&sums)[kRows][kVectors],
                                                        int64_t key) const {
    bias.MakeScores(sums, key);
#pragma GCC unroll 4
    for (int64_t v = 0; v < kVectors; ++v) {
      const Vec<T> maximum = Load<T>(maxima + v * kLanes<T>);
      const Vec<T> inverse = Load<T>(inverses + v * kLanes<T>);
#pragma GCC unroll 32
      for (int64_t r = 0; r < kRows; ++r) {
        Store<T>(scores + (key + r) * kPanelColumns<T> + v * kLanes<T>,
                 PowerOfScore<T>(sums[r][v], maximum) * inverse);
      }
    }
  }
};

// An epilogue that stores gradients with respect to the probabilities. Also adds up their means
// [Q], weighted by the probabilities.
template <typename T>
struct StoreWithMeans {
  T* d_scores;
  const T* probabilities;
  T* means;

  template <int64_t kRows, int64_t kVectors>
  inline __attribute__((always_inline)) void operator()(Vec<T> (&sums)[kRows][kVectors],
                                                        int64_t key) const {
#pragma GCC unroll 4
    for (int64_t v = 0; v < kVectors; ++v) {
      Vec<T> mean = Load<T>(means + v * kLanes<T>);
#pragma GCC unroll 32
      for (int64_t r = 0; r < kRows; ++r) {
        const int64_t at = (key + r) * kPanelColumns<T> + v * kLanes<T>;
        mean += sums[r][v] * Load<T>(probabilities + at);
        Store<T>(d_scores + at, sums[r][v]);
      }
      Store<T>(means + v * kLanes<T>, mean);
    }
  }
};

// Turns d_scores from gradients with respect to the probabilities into gradients with respect to
// the scores.
template <int64_t kVectors, typename T>
inline void SoftmaxBackward(int64_t nodes, const T* probabilities, const T* means, T* d_scores) {
  for (int64_t j = 0; j < nodes; ++j) {
#pragma GCC unroll 4
    for (int64_t v = 0; v < kVectors; ++v) {
      const int64_t at = j * kPanelColumns<T> + v * kLanes<T>;
      const Vec<T> difference = Load<T>(d_scores + at) - Load<T>(means + v * kLanes<T>);
      Store<T>(d_scores + at, Load<T>(probabilities + at) * difference);
    }
  }
}

// Further inputs and outputs of an instance's backward pass.
template <typename T>
struct AttentionGradient {
  View<const T> d_out;  // [N, H]
  View<T> d_qkv;        // [N, 3H]; overwritten
  T* d_edge_weights;    // [M, padded E, lanes]; added to
};

// Computes the probabilities of the panel's queries, which start at `first`, and the gradients with
// respect to their scores. Adds the gradient of the edge weights.
template <int64_t kVectors, typename T>
inline void ScoreGradients(const AttentionCall<T>& c, const AttentionGradient<T>& gradient,
                           const Head<T>& head, int64_t first) {
  const AttentionShape& s = c.shape;
  T* const maxima = c.MaximaOfHead(head.number) + first;
  const ScoreBias<T> bias = c.Bias(head.number, first);
  MultiplyBalanced<ByPanelRows<T>, kVectors>(
      BalancedProduct<T>{head.keys.data, head.keys.panel, c.scratch.queries, s.nodes,
                         head.channels},
      StoreProbabilities<T>{c.scratch.scores, bias, maxima, maxima + RoundUpToLanes<T>(s.nodes)});
  for (int64_t v = 0; v < kVectors; ++v) Store<T>(c.scratch.columns + v * kLanes<T>, Vec<T>{});
  MultiplyBalanced<ByPanelRows<T>, kVectors>(
      BalancedProduct<T>{head.values.data, head.values.panel, c.scratch.d_out, s.nodes,
                         head.channels},
      StoreWithMeans<T>{c.scratch.d_scores, c.scratch.scores, c.scratch.columns});
  SoftmaxBackward<kVectors, T>(s.nodes, c.scratch.scores, c.scratch.columns, c.scratch.d_scores);
  AddEdgeGradient<kVectors, T>(bias, s.nodes, c.scratch.d_scores,
                               gradient.d_edge_weights + head.number * bias.features * kLanes<T>);
}

// Adds the contribution of `count` queries from `first` on to the head's columns of d_qkv.
// Overwrites the gradient of these queries. Adds to the gradients of all keys and values, or
// overwrites them if `first` is 0.
template <typename T>
inline void HeadGradients(const AttentionCall<T>& c, const AttentionGradient<T>& gradient,
                          const Head<T>& head, View<const T> d_out, int64_t first, int64_t count) {
  const AttentionShape& s = c.shape;
  const T scale = InverseRootOf<T>(head.channels);
  const bool add = first > 0;
  for (int64_t at = 0; at < head.channels; at += kLanes<T>) {
    const int64_t column = head.number * head.channels + at;
    const int64_t rest = head.channels - at;
    MultiplyBalanced<ByPanelColumns<T>, 1>(
        BalancedProduct<T>{c.scratch.d_scores, 0, head.keys.At(0, at), count, s.nodes},
        StoreHead<T>{gradient.d_qkv.From(first), column, rest, nullptr, scale, false});
    MultiplyBalanced<ByPanelRows<T>, 1>(
        BalancedProduct<T>{c.scratch.d_scores, 0, head.queries.At(first, at), s.nodes, count},
        StoreHead<T>{gradient.d_qkv, s.hidden + column, rest, nullptr, scale, add});
    MultiplyBalanced<ByPanelRows<T>, 1>(
        BalancedProduct<T>{c.scratch.scores, 0, d_out.At(first, at), s.nodes, count},
        StoreHead<T>{gradient.d_qkv, 2 * s.hidden + column, rest, nullptr, T{1}, add});
  }
}

// Writes d_qkv and adds to d_edge_weights. Reads c.softmax as AttentionForward has written it.
template <typename T>
inline void AttentionBackward(const AttentionCall<T>& c, const AttentionGradient<T>& gradient) {
  constexpr int64_t kColumns = kPanelColumns<T>;
  const AttentionShape& s = c.shape;
  for (int64_t m = 0; m < s.heads; ++m) {
    const Head<T> head(c, m);
    const View<const T> d_out =
        HeadRows<T>(s, gradient.d_out, m * head.channels,
                    c.scratch.copies + 3 * AttentionScratch<T>::CopySize(s));
    for (int64_t first = 0; first < s.nodes; first += kColumns) {
      const int64_t count = s.nodes - first < kColumns ? s.nodes - first : kColumns;
      TransposeHead<T>(head.queries, first, count, head.channels, c.scratch.queries);
      TransposeHead<T>(d_out, first, count, head.channels, c.scratch.d_out);
      if (count > kLanes<T>) {
        ScoreGradients<2, T>(c, gradient, head, first);
      } else {
        ScoreGradients<1, T>(c, gradient, head, first);
      }
      HeadGradients<T>(c, gradient, head, d_out, first, count);
    }
  }
}

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
