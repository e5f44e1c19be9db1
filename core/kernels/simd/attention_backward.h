// The backward pass of attention.h, which says how things lie. See vec.h for who may include this.
#pragma once

#include <cstdint>

#include "core/kernels/simd/attention.h"
#include "core/kernels/simd/attention_parts.h"
#include "core/kernels/simd/gemm.h"
#include "core/kernels/simd/math.h"
#include "core/kernels/simd/transpose.h"
#include "core/kernels/simd/vec.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// scores become probabilities, d_scores (by the probabilities) gradients by the scores.
template <typename T>
inline void SoftmaxBackward(int64_t nodes, T* scores, T* d_scores, const T* log_sums) {
  const int64_t padded = RoundUpToLanes<T>(nodes);
  for (int64_t i = 0; i < padded; i += kLanes<T>) {
    const Vec<T> log_sum = LoadFirst<T>(log_sums + i, nodes - i);
    Vec<T> mean{};
    for (int64_t j = 0; j < nodes; ++j) {
      const Vec<T> p = Exp<T>(Load<T>(scores + j * padded + i) - log_sum);
      mean += p * Load<T>(d_scores + j * padded + i);
      Store<T>(scores + j * padded + i, p);
    }
    for (int64_t j = 0; j < nodes; ++j) {
      T* const d = d_scores + j * padded + i;
      Store<T>(d, Load<T>(scores + j * padded + i) * (Load<T>(d) - mean));
    }
  }
}

// d_weights[e] += sum of d_scores * edges[e]; beyond the last query d_scores are 0.
template <typename T>
inline void AddEdgeGradient(const AttentionShape& s, const AttentionScratch<T>& at, T* d_weights) {
  const int64_t size = s.nodes * RoundUpToLanes<T>(s.nodes);
  for (int64_t e = 0; e < s.edge_features; ++e) {
    const T* const edges = at.edges + e * size;
    Vec<T> sums[4] = {};
    int64_t k = 0;
    for (; k + 4 * kLanes<T> <= size; k += 4 * kLanes<T>) {
      for (int64_t v = 0; v < 4; ++v) {
        const int64_t to = k + v * kLanes<T>;
        sums[v] += Load<T>(at.d_scores + to) * Load<T>(edges + to);
      }
    }
    for (; k < size; k += kLanes<T>) sums[0] += Load<T>(at.d_scores + k) * Load<T>(edges + k);
    d_weights[e] += Sum<T>((sums[0] + sums[1]) + (sums[2] + sums[3]));
  }
}

// d_qkv [N, 3H] from d_out [N, H]; adds to d_edge_weights [M, E].
template <typename T>
inline void AttentionBackward(const AttentionShape& s, View<const T> qkv, const T* edges,
                              const T* edge_weights, const AttentionScratch<T>& at,
                              const T* log_sums, int64_t log_stride, View<const T> d_out,
                              View<T> d_qkv, T* d_edge_weights) {
  const int64_t padded = RoundUpToLanes<T>(s.nodes);
  const int64_t channels = s.hidden / s.heads;
  const int64_t wide = AttentionScratch<T>::PaddedChannels(s);
  const int64_t copy = s.nodes * wide;
  const T scale = InverseRootOf<T>(channels);
  if (s.edge_features > 0) TransposeEdges<T>(s, edges, at);
  for (int64_t m = 0; m < s.heads; ++m) {
    const int64_t query = m * channels;
    const int64_t key = s.hidden + query;
    const int64_t value = 2 * s.hidden + query;
    const HeadRows<T> queries(qkv, query, s, at.narrow);
    const HeadRows<T> keys(qkv, key, s, at.narrow + copy);
    const HeadRows<T> values(qkv, value, s, at.narrow + 2 * copy);
    const HeadRows<T> d_outs(d_out, query, s, at.narrow + 3 * copy);
    ComputeScores<T>(s, m, queries, keys, edge_weights, at);
    TransposeTo<T>(d_outs.data, d_outs.stride, s.nodes, channels, T{1}, at.d_out);
    Multiply<T>(values.AsA(), {at.d_out, padded, false}, s.nodes, channels, padded,
                StoreTo<T>{at.d_scores, padded});
    SoftmaxBackward<T>(s.nodes, at.scores, at.d_scores, log_sums + m * log_stride);
    if (s.edge_features > 0) AddEdgeGradient<T>(s, at, d_edge_weights + m * s.edge_features);

    Multiply<T>({at.scores, padded, 1}, d_outs.AsB(), s.nodes, s.nodes, wide,
                StoreHead<T>{d_qkv, value, channels, nullptr, T{1}});
    Multiply<T>({at.d_scores, 1, padded}, keys.AsB(), s.nodes, s.nodes, wide,
                StoreHead<T>{d_qkv, query, channels, nullptr, scale});
    Multiply<T>({at.d_scores, padded, 1}, queries.AsB(), s.nodes, s.nodes, wide,
                StoreHead<T>{d_qkv, key, channels, nullptr, scale});
  }
}

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
