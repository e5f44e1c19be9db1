// Forward pass of multi-head attention among one instance's nodes, one head and panel of queries at
// a time. vec.h states who may include this.
//
// Scores are transposed, [keys, queries of a panel], so that lanes are queries. The softmax then
// needs no sums across lanes, and products read keys, values and queries as stored. The softmax
// uses powers of 2, which are cheaper than powers of e. Forward saves no array of the size N^2,
// because Backward recomputes the probabilities from the maxima and the sums (Dao et al. 2022).
#pragma once

#include <cstdint>

#include "core/kernels/encoder/attention_parts.h"
#include "core/kernels/simd/balanced_product.h"
#include "core/kernels/simd/math.h"
#include "core/kernels/simd/store_head.h"
#include "core/kernels/simd/vec.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// Lower bound of the powers' exponents. Products with smaller powers of 2 may be denormal numbers,
// which are slow.
inline constexpr double kLowestScore = -100;

// Returns 2^(score - maximum), with an exponent of at least kLowestScore.
template <typename T>
inline __attribute__((always_inline)) Vec<T> PowerOfScore(Vec<T> score, Vec<T> maximum) {
  return ExpOfTwo<T>(Max<T>(Broadcast<T>(static_cast<T>(kLowestScore)), score - maximum));
}

// Stores rows of scores, kPanelColumns apart, and raises the queries' `maxima` [Q] to them.
template <typename T, int64_t kRows, int64_t kVectors>
inline __attribute__((always_inline)) void StoreWithMaxima(const Vec<T> (&rows)[kRows][kVectors],
                                                           T* scores, T* maxima) {
#pragma GCC unroll 4
  for (int64_t v = 0; v < kVectors; ++v) {
    Vec<T> maximum = Load<T>(maxima + v * kLanes<T>);
#pragma GCC unroll 32
    for (int64_t r = 0; r < kRows; ++r) {
      maximum = Max<T>(maximum, rows[r][v]);
      Store<T>(scores + r * kPanelColumns<T> + v * kLanes<T>, rows[r][v]);
    }
    Store<T>(maxima + v * kLanes<T>, maximum);
  }
}

// An epilogue that turns products of keys and queries into scores, and finds each query's maximum.
template <typename T>
struct StoreScores {
  T* scores;
  ScoreBias<T> bias;
  T* maxima;  // [Q]

  template <int64_t kRows, int64_t kVectors>
  inline __attribute__((always_inline)) void operator()(Vec<T> (&sums)[kRows][kVectors],
                                                        int64_t key) const {
    bias.MakeScores(sums, key);
    StoreWithMaxima<T>(sums, scores + key * kPanelColumns<T>, maxima);
  }
};

// Replaces scores by their powers of 2, relative to `maxima`. Writes the inverses of the powers'
// sums to `inverses`.
template <int64_t kVectors, typename T>
inline void Softmax(int64_t nodes, T* scores, const T* maxima, T* inverses) {
  Vec<T> maximum[kVectors];
#pragma GCC unroll 4
  for (int64_t v = 0; v < kVectors; ++v) maximum[v] = Load<T>(maxima + v * kLanes<T>);
  Vec<T> sums[kVectors] = {};
  for (int64_t j = 0; j < nodes; ++j) {
#pragma GCC unroll 4
    for (int64_t v = 0; v < kVectors; ++v) {
      T* const at = scores + j * kPanelColumns<T> + v * kLanes<T>;
      const Vec<T> power = PowerOfScore<T>(Load<T>(at), maximum[v]);
      sums[v] += power;
      Store<T>(at, power);
    }
  }
#pragma GCC unroll 4
  for (int64_t v = 0; v < kVectors; ++v) {
    Store<T>(inverses + v * kLanes<T>, static_cast<T>(1) / sums[v]);
  }
}

// One head's rows of qkv.
template <typename T>
struct Head {
  int64_t number;
  int64_t channels;
  View<const T> queries;
  View<const T> keys;
  View<const T> values;

  Head(const AttentionCall<T>& c, int64_t m) : number(m), channels(c.shape.hidden / c.shape.heads) {
    const AttentionShape& s = c.shape;
    const int64_t copy = AttentionScratch<T>::CopySize(s);
    const int64_t column = m * channels;
    queries = HeadRows<T>(s, c.qkv, column, c.scratch.copies);
    keys = HeadRows<T>(s, c.qkv, s.hidden + column, c.scratch.copies + copy);
    values = HeadRows<T>(s, c.qkv, 2 * s.hidden + column, c.scratch.copies + 2 * copy);
  }
};

// Writes a head's columns of `out` for `count` queries from `first` on, at most kVectors
// vectors. Also writes the queries' maxima and inverse sums to c.softmax.
template <int64_t kVectors, typename T>
inline void AttendPanel(const AttentionCall<T>& c, const Head<T>& head, int64_t first,
                        int64_t count, View<T> out) {
  const AttentionShape& s = c.shape;
  T* const maxima = c.MaximaOfHead(head.number) + first;
  T* const inverses = maxima + RoundUpToLanes<T>(s.nodes);
  TransposeHead<T>(head.queries, first, count, head.channels, c.scratch.queries);
  for (int64_t v = 0; v < kVectors; ++v) {
    Store<T>(maxima + v * kLanes<T>, Broadcast<T>(static_cast<T>(-__builtin_inf())));
  }
  MultiplyBalanced<ByPanelRows<T>, kVectors>(
      BalancedProduct<T>{head.keys.data, head.keys.panel, c.scratch.queries, s.nodes,
                         head.channels},
      StoreScores<T>{c.scratch.scores, c.Bias(head.number, first), maxima});
  Softmax<kVectors, T>(s.nodes, c.scratch.scores, maxima, inverses);
  for (int64_t at = 0; at < head.channels; at += kLanes<T>) {
    MultiplyBalanced<ByPanelColumns<T>, 1>(
        BalancedProduct<T>{c.scratch.scores, 0, head.values.At(0, at), count, s.nodes},
        StoreHead<T>{out.From(first), head.number * head.channels + at, head.channels - at,
                     inverses, T{1}, false});
  }
}

// Writes `out` [N, H] and c.softmax.
template <typename T>
inline void AttentionForward(const AttentionCall<T>& c, View<T> out) {
  constexpr int64_t kColumns = kPanelColumns<T>;
  for (int64_t m = 0; m < c.shape.heads; ++m) {
    const Head<T> head(c, m);
    for (int64_t first = 0; first < c.shape.nodes; first += kColumns) {
      const int64_t rest = c.shape.nodes - first;
      if (rest > kLanes<T>) {
        AttendPanel<2, T>(c, head, first, rest < kColumns ? rest : kColumns, out);
      } else {
        AttendPanel<1, T>(c, head, first, rest, out);
      }
    }
  }
}

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
