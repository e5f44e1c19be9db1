// Sizes and memory of attention, and the rows of one head. vec.h states who may include this.
#pragma once

#include <cstdint>

#include "core/kernels/encoder/attention_edges.h"
#include "core/kernels/simd/math.h"
#include "core/kernels/simd/panels.h"
#include "core/kernels/simd/transpose.h"
#include "core/kernels/simd/vec.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

inline constexpr double kLog2OfE = 1.44269504088896340736;

template <typename T>
inline T InverseRootOf(int64_t channels) {
  return static_cast<T>(1.0 / __builtin_sqrt(static_cast<double>(channels)));
}

// Returns the factor that turns products of queries and keys into scores, exponents of 2.
template <typename T>
inline T ScoreFactor(int64_t channels) {
  return static_cast<T>(kLog2OfE) * InverseRootOf<T>(channels);
}

// The sizes of one instance's attention.
struct AttentionShape {
  int64_t nodes;          // N
  int64_t hidden;         // H
  int64_t heads;          // M
  int64_t edge_features;  // E
};

// Memory of one call for at most `nodes` nodes. A call handles a panel of Q queries at a time.
template <typename T>
struct AttentionScratch {
  T* scores;    // [N, Q]
  T* d_scores;  // [N, Q]
  T* queries;   // [head channels, Q], transposed
  T* d_out;     // [head channels, Q], transposed
  T* sums;      // [head channels, Q], transposed
  T* columns;   // [Q]
  T* copies;    // [5, N, head channels], in panels, see HeadRows

  static int64_t PaddedChannels(const AttentionShape& s) {
    return RoundUpToLanes<T>(s.hidden / s.heads);
  }
  static int64_t CopySize(const AttentionShape& s) {
    return SizeInPanels<T>(s.nodes, s.hidden / s.heads);
  }
  static int64_t Size(const AttentionShape& s) {
    return (2 * s.nodes + 3 * PaddedChannels(s) + 1) * kPanelColumns<T> + 5 * CopySize(s);
  }
  AttentionScratch(const AttentionShape& s, T* memory) {
    scores = memory;
    d_scores = scores + s.nodes * kPanelColumns<T>;
    queries = d_scores + s.nodes * kPanelColumns<T>;
    d_out = queries + PaddedChannels(s) * kPanelColumns<T>;
    sums = d_out + PaddedChannels(s) * kPanelColumns<T>;
    columns = sums + PaddedChannels(s) * kPanelColumns<T>;
    copies = columns + kPanelColumns<T>;
  }
};

// One instance's attention in one layer.
template <typename T>
struct AttentionCall {
  AttentionShape shape;
  AttentionScratch<T> scratch;
  View<const T> qkv;      // [N, 3H]
  const T* edges;         // as written by PackEdges; null without features
  const T* edge_weights;  // [M, padded E], times log2(e)
  T* softmax;             // [M, 2, padded N]: the queries' maxima, and inverses of the sums

  // Returns the maximum number of elements of `softmax` of all instances, which have `rows` nodes
  // in total.
  static int64_t SoftmaxSize(int64_t rows, int64_t instances, int64_t heads) {
    return 2 * heads * (rows + instances * kLanes<T>);
  }
  T* MaximaOfHead(int64_t head) const {
    return softmax + 2 * head * RoundUpToLanes<T>(shape.nodes);
  }
  ScoreBias<T> Bias(int64_t head, int64_t first_query) const {
    const T factor = ScoreFactor<T>(shape.hidden / shape.heads);
    if (shape.edge_features == 0) return {factor, nullptr, nullptr, 0, 0};
    const int64_t features = PaddedFeatures(shape.edge_features);
    return {factor, edges + first_query * shape.nodes, edge_weights + head * features, features,
            EdgeStride<T>(shape.nodes)};
  }
};

// Returns one head's rows in panels. Returns a zero-padded copy if the rows do not fill vectors or
// cross the end of a panel.
template <typename T>
inline View<const T> HeadRows(const AttentionShape& s, View<const T> from, int64_t column,
                              T* copy) {
  constexpr int64_t kColumns = kPanelColumns<T>;
  const int64_t channels = s.hidden / s.heads;
  const bool inside = column % kColumns + channels <= kColumns && channels % kLanes<T> == 0;
  if (inside || channels % kColumns == 0) return from.Columns(column);
  const View<T> to = InPanels(copy, s.nodes);
  for (int64_t n = 0; n < s.nodes; ++n) {
    for (int64_t c = 0; c < RoundUpToLanes<T>(channels); ++c) {
      *to.At(n, c) = c < channels ? *from.At(n, column + c) : T{0};
    }
  }
  return to.AsConst();
}

// Transposes the `count` rows that begin at row `first` to [channels, Q]. Lanes without a row
// repeat the last row.
template <typename T>
inline void TransposeHead(View<const T> rows, int64_t first, int64_t count, int64_t channels,
                          T* to) {
  for (int64_t i = 0; i < count; i += kLanes<T>) {
    const int64_t last = count - 1 - i;
    for (int64_t c = 0; c < channels; c += kLanes<T>) {
      const T* const from = rows.At(first + i, c);
      Vec<T> square[kLanes<T>];
#pragma GCC unroll 16
      for (int64_t r = 0; r < kLanes<T>; ++r) {
        square[r] = Load<T>(from + (r < last ? r : last) * kPanelColumns<T>);
      }
      TransposeSquare<T>(square);
#pragma GCC unroll 16
      for (int64_t r = 0; r < kLanes<T>; ++r) {
        Store<T>(to + (c + r) * kPanelColumns<T> + i, square[r]);
      }
    }
  }
}

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
