// What attention works on: its sizes and memory, one head's rows, and what follows its products.
// See vec.h for who may include this.
#pragma once

#include <cstdint>

#include "core/kernels/simd/gemm.h"
#include "core/kernels/simd/math.h"
#include "core/kernels/simd/panels.h"
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
  T* narrow;    // [4, N, padded channels]: copies of heads that do not fill vectors of a panel

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

// One head's rows: in place, or copied with zeros behind where its channels do not fill vectors of
// one panel.
template <typename T>
struct HeadRows {
  const T* data;
  int64_t stride;

  HeadRows(View<const T> from, int64_t column, const AttentionShape& s, T* copy)
      : data(from.At(0, column)), stride(from.row) {
    const int64_t channels = s.hidden / s.heads;
    if (column % kPanelColumns<T> + channels <= kPanelColumns<T> && channels % kLanes<T> == 0) {
      return;
    }
    const int64_t padded = RoundUpToLanes<T>(channels);
    for (int64_t n = 0; n < s.nodes; ++n) {
      for (int64_t c = 0; c < padded; ++c) {
        copy[n * padded + c] = c < channels ? *from.At(n, column + c) : T{0};
      }
    }
    data = copy;
    stride = padded;
  }
  MatrixA<T> AsA() const { return {data, stride, 1}; }
  MatrixB<T> AsB() const { return {data, stride, false}; }
};

// Stores value * factors[row] (or * factor) into a head's columns.
template <typename T>
struct StoreHead {
  View<T> to;
  int64_t column;
  int64_t channels;
  const T* factors;  // null: 1
  T factor;
  inline __attribute__((always_inline)) void operator()(int64_t i, int64_t j, Vec<T> value) const {
    const Vec<T> scaled = value * (factors != nullptr ? factors[i] * factor : factor);
    if (channels % kLanes<T> == 0) {
      Store<T>(to.At(i, column + j), scaled);
    } else {
      for (int64_t c = 0; c < kLanes<T> && j + c < channels; ++c) {
        *to.At(i, column + j + c) = scaled[c];
      }
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

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
