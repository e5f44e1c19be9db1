// Multi-head attention among one instance's nodes, forward and backward, a head at a time. See
// vec.h for who may include this.
//
// Scores are kept transposed, [keys, queries]: lanes are queries, so that the softmax needs nothing
// across lanes, and the products read keys, values and queries as they lie. Backward recomputes the
// probabilities from the scores' log-sum-exp (as Dao et al. 2022 do), so nothing of the size N^2 is
// saved.
#pragma once

#include <cstdint>

#include "core/kernels/simd/attention_parts.h"
#include "core/kernels/simd/gemm.h"
#include "core/kernels/simd/math.h"
#include "core/kernels/simd/transpose.h"
#include "core/kernels/simd/vec.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

template <typename T>
inline T InverseRootOf(int64_t channels) {
  return static_cast<T>(1.0 / __builtin_sqrt(static_cast<double>(channels)));
}

template <typename T>
inline void TransposeEdges(const AttentionShape& s, const T* edges, const AttentionScratch<T>& at) {
  const int64_t padded = RoundUpToLanes<T>(s.nodes);
  for (int64_t e = 0; e < s.edge_features; ++e) {
    TransposeTo<T>(edges + e * s.nodes * s.nodes, s.nodes, s.nodes, s.nodes, T{1},
                   at.edges + e * s.nodes * padded);
  }
}

// scores[j][i] of head m.
template <typename T>
inline void ComputeScores(const AttentionShape& s, int64_t m, const HeadRows<T>& queries,
                          const HeadRows<T>& keys, const T* edge_weights,
                          const AttentionScratch<T>& at) {
  const int64_t padded = RoundUpToLanes<T>(s.nodes);
  const int64_t channels = s.hidden / s.heads;
  TransposeTo<T>(queries.data, queries.stride, s.nodes, channels, InverseRootOf<T>(channels),
                 at.queries);
  const StoreScores<T> store{at.scores, padded,          edge_weights + m * s.edge_features,
                             at.edges,  s.edge_features, s.nodes * padded};
  Multiply<T>(keys.AsA(), {at.queries, padded, false}, s.nodes, channels, padded, store);
}

// scores become exp(scores - maximum); factors the inverse sums; log_sums [N] are written.
template <typename T>
inline void Softmax(int64_t nodes, T* scores, T* factors, T* log_sums) {
  const int64_t padded = RoundUpToLanes<T>(nodes);
  for (int64_t i = 0; i < padded; i += kLanes<T>) {
    Vec<T> highest = Load<T>(scores + i);
    for (int64_t j = 1; j < nodes; ++j) highest = Max<T>(highest, Load<T>(scores + j * padded + i));
    Vec<T> sum{};
    for (int64_t j = 0; j < nodes; ++j) {
      const Vec<T> value = Exp<T>(Load<T>(scores + j * padded + i) - highest);
      sum += value;
      Store<T>(scores + j * padded + i, value);
    }
    Store<T>(factors + i, static_cast<T>(1) / sum);
    StoreFirst<T>(log_sums + i, nodes - i, highest + Log<T>(sum));
  }
}

// out [N, H] from qkv [N, 3H]; head m's log_sums at log_sums + m * log_stride.
template <typename T>
inline void AttentionForward(const AttentionShape& s, View<const T> qkv, const T* edges,
                             const T* edge_weights, const AttentionScratch<T>& at, View<T> out,
                             T* log_sums, int64_t log_stride) {
  const int64_t padded = RoundUpToLanes<T>(s.nodes);
  const int64_t channels = s.hidden / s.heads;
  const int64_t copy = s.nodes * AttentionScratch<T>::PaddedChannels(s);
  if (s.edge_features > 0) TransposeEdges<T>(s, edges, at);
  for (int64_t m = 0; m < s.heads; ++m) {
    const HeadRows<T> queries(qkv, m * channels, s, at.narrow);
    const HeadRows<T> keys(qkv, s.hidden + m * channels, s, at.narrow + copy);
    const HeadRows<T> values(qkv, 2 * s.hidden + m * channels, s, at.narrow + 2 * copy);
    ComputeScores<T>(s, m, queries, keys, edge_weights, at);
    Softmax<T>(s.nodes, at.scores, at.factors, log_sums + m * log_stride);
    Multiply<T>({at.scores, 1, padded}, values.AsB(), s.nodes, s.nodes, RoundUpToLanes<T>(channels),
                StoreHead<T>{out, m * channels, channels, at.factors, T{1}});
  }
}

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
