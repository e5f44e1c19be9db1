// Multi-head attention among one instance's nodes, forward and backward, a head at a time. See
// vec.h for who may include this.
//
// Scores are kept transposed, [keys, queries]: lanes are queries, so that the softmax needs nothing
// across lanes, and the products read keys, values and queries as they lie. Backward recomputes the
// probabilities from the scores' log-sum-exp (as Dao et al. 2022 do), so nothing of the size N^2 is
// saved.
#pragma once

#include <cstdint>

#include "core/kernels/simd/gemm.h"
#include "core/kernels/simd/math.h"
#include "core/kernels/simd/transpose.h"
#include "core/kernels/simd/vec.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

struct AttentionShape {
  int64_t nodes;          // N
  int64_t hidden;         // H
  int64_t heads;          // M
  int64_t edge_features;  // E
};

// The memory of one call, for at most `nodes` nodes.
template <typename T>
struct AttentionScratch {
  T* edges;     // [E, N, padded N]: transposed
  T* scores;    // [N, padded N]
  T* d_scores;  // [N, padded N]
  T* queries;   // [head channels, padded N]: transposed, scaled
  T* d_out;     // [head channels, padded N]: transposed
  T* factors;   // [padded N]
  T* narrow;    // [4, N, padded channels]: copies of heads that do not fill vectors

  static int64_t PaddedChannels(const AttentionShape& s) {
    return RoundUpToLanes<T>(s.hidden / s.heads);
  }
  static int64_t Size(const AttentionShape& s) {
    const int64_t padded = RoundUpToLanes<T>(s.nodes);
    return (s.edge_features + 2) * s.nodes * padded + 2 * (s.hidden / s.heads) * padded + padded +
           4 * s.nodes * PaddedChannels(s);
  }
  AttentionScratch(const AttentionShape& s, T* memory) {
    const int64_t padded = RoundUpToLanes<T>(s.nodes);
    const int64_t channels = s.hidden / s.heads;
    edges = memory;
    scores = edges + s.edge_features * s.nodes * padded;
    d_scores = scores + s.nodes * padded;
    queries = d_scores + s.nodes * padded;
    d_out = queries + channels * padded;
    factors = d_out + channels * padded;
    narrow = factors + padded;
  }
};

// One head's rows, in place or, where its channels do not fill vectors, copied with zeros behind.
template <typename T>
struct HeadRows {
  const T* data;
  int64_t stride;

  HeadRows(const T* from, int64_t from_stride, int64_t nodes, int64_t channels, T* copy)
      : data(from), stride(from_stride) {
    const int64_t padded = RoundUpToLanes<T>(channels);
    if (padded == channels) return;
    for (int64_t n = 0; n < nodes; ++n) {
      for (int64_t c = 0; c < padded; c += kLanes<T>) {
        Store<T>(copy + n * padded + c, LoadFirst<T>(from + n * from_stride + c, channels - c));
      }
    }
    data = copy;
    stride = padded;
  }
  MatrixB<T> AsB() const { return {data, stride, false}; }
};

// Stores value * factors[row] (or * factor) into a head's columns of a row-major matrix.
template <typename T>
struct StoreHead {
  T* data;
  int64_t stride;
  int64_t channels;
  const T* factors;  // null: 1
  T factor;
  inline __attribute__((always_inline)) void operator()(int64_t i, int64_t j, Vec<T> value) const {
    const Vec<T> scaled = value * (factors != nullptr ? factors[i] * factor : factor);
    T* const to = data + i * stride + j;
    if (channels % kLanes<T> == 0) {
      Store<T>(to, scaled);
    } else {
      StoreFirst<T>(to, channels - j, scaled);
    }
  }
};

// Stores scores with the edges' bias: sum of weights[e] * edges[e][j][i].
template <typename T>
struct StoreScores {
  T* scores;
  int64_t stride;
  const T* weights;
  const T* edges;
  int64_t features;
  int64_t feature_stride;
  inline __attribute__((always_inline)) void operator()(int64_t j, int64_t i, Vec<T> value) const {
    for (int64_t e = 0; e < features; ++e) {
      value += weights[e] * Load<T>(edges + e * feature_stride + j * stride + i);
    }
    Store<T>(scores + j * stride + i, value);
  }
};

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

// scores[j][i] of head m; `qkv` [N, 3H].
template <typename T>
inline void ComputeScores(const AttentionShape& s, int64_t m, const T* qkv, const T* edge_weights,
                          const AttentionScratch<T>& at) {
  const int64_t padded = RoundUpToLanes<T>(s.nodes);
  const int64_t channels = s.hidden / s.heads;
  const int64_t stride = 3 * s.hidden;
  TransposeTo<T>(qkv + m * channels, stride, s.nodes, channels, InverseRootOf<T>(channels),
                 at.queries);
  const StoreScores<T> store{at.scores, padded,          edge_weights + m * s.edge_features,
                             at.edges,  s.edge_features, s.nodes * padded};
  Multiply<T>({qkv + s.hidden + m * channels, stride, 1}, {at.queries, padded, false}, s.nodes,
              channels, padded, store);
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
inline void AttentionForward(const AttentionShape& s, const T* qkv, const T* edges,
                             const T* edge_weights, const AttentionScratch<T>& at, T* out,
                             T* log_sums, int64_t log_stride) {
  const int64_t padded = RoundUpToLanes<T>(s.nodes);
  const int64_t channels = s.hidden / s.heads;
  if (s.edge_features > 0) TransposeEdges<T>(s, edges, at);
  for (int64_t m = 0; m < s.heads; ++m) {
    ComputeScores<T>(s, m, qkv, edge_weights, at);
    Softmax<T>(s.nodes, at.scores, at.factors, log_sums + m * log_stride);
    const HeadRows<T> values(qkv + 2 * s.hidden + m * channels, 3 * s.hidden, s.nodes, channels,
                             at.narrow);
    Multiply<T>({at.scores, 1, padded}, values.AsB(), s.nodes, s.nodes, RoundUpToLanes<T>(channels),
                StoreHead<T>{out + m * channels, s.hidden, channels, at.factors, T{1}});
  }
}

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
inline void AttentionBackward(const AttentionShape& s, const T* qkv, const T* edges,
                              const T* edge_weights, const AttentionScratch<T>& at,
                              const T* log_sums, int64_t log_stride, const T* d_out, T* d_qkv,
                              T* d_edge_weights) {
  const int64_t padded = RoundUpToLanes<T>(s.nodes);
  const int64_t channels = s.hidden / s.heads;
  const int64_t wide = RoundUpToLanes<T>(channels);
  const int64_t stride = 3 * s.hidden;
  const T scale = InverseRootOf<T>(channels);
  if (s.edge_features > 0) TransposeEdges<T>(s, edges, at);
  for (int64_t m = 0; m < s.heads; ++m) {
    const T* const query = qkv + m * channels;
    const T* const head_d_out = d_out + m * channels;
    T* const d_query = d_qkv + m * channels;
    ComputeScores<T>(s, m, qkv, edge_weights, at);
    TransposeTo<T>(head_d_out, s.hidden, s.nodes, channels, T{1}, at.d_out);
    Multiply<T>({query + 2 * s.hidden, stride, 1}, {at.d_out, padded, false}, s.nodes, channels,
                padded, StoreTo<T>{at.d_scores, padded});
    SoftmaxBackward<T>(s.nodes, at.scores, at.d_scores, log_sums + m * log_stride);
    if (s.edge_features > 0) AddEdgeGradient<T>(s, at, d_edge_weights + m * s.edge_features);

    const int64_t copy = s.nodes * wide;
    const HeadRows<T> d_outs(head_d_out, s.hidden, s.nodes, channels, at.narrow);
    const HeadRows<T> keys(query + s.hidden, stride, s.nodes, channels, at.narrow + copy);
    const HeadRows<T> queries(query, stride, s.nodes, channels, at.narrow + 2 * copy);
    Multiply<T>({at.scores, padded, 1}, d_outs.AsB(), s.nodes, s.nodes, wide,
                StoreHead<T>{d_query + 2 * s.hidden, stride, channels, nullptr, T{1}});
    Multiply<T>({at.d_scores, 1, padded}, keys.AsB(), s.nodes, s.nodes, wide,
                StoreHead<T>{d_query, stride, channels, nullptr, scale});
    Multiply<T>({at.d_scores, padded, 1}, queries.AsB(), s.nodes, s.nodes, wide,
                StoreHead<T>{d_query + s.hidden, stride, channels, nullptr, scale});
  }
}

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
