// Panels of queries in causal attention, and the epilogues of their products with keys and values.
// vec.h states who may include this.
#pragma once

#include <cstdint>

#include "core/kernels/encoder/attention.h"
#include "core/kernels/simd/lanes.h"
#include "core/kernels/simd/panels.h"
#include "core/kernels/simd/vec.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// The queries first .. first + count - 1. They see the keys 0 .. keys() - 1.
struct QueryPanel {
  int64_t first;
  int64_t count;
  int64_t keys() const { return first + count; }
};

// Returns the number of panels of a sequence, and panel `n` of them.
template <typename T>
inline int64_t QueryPanels(int64_t tokens) {
  return (tokens + kPanelColumns<T> - 1) / kPanelColumns<T>;
}
template <typename T>
inline QueryPanel QueryPanelOf(int64_t tokens, int64_t n) {
  const int64_t end = tokens - (QueryPanels<T>(tokens) - 1 - n) * kPanelColumns<T>;
  const int64_t first = end > kPanelColumns<T> ? end - kPanelColumns<T> : 0;
  return {first, end - first};
}

// Returns the lanes of vector `v` whose queries do not see `key`.
template <typename T>
inline __attribute__((always_inline)) IntVec<T> HiddenLanes(const QueryPanel& panel, int64_t key,
                                                            int64_t v) {
  return FirstLanes<T>(key - panel.first - v * kLanes<T>);
}

// Sets the elements of rows `key` .. that their queries do not see to `value`.
template <typename T, int64_t kRows, int64_t kVectors>
inline __attribute__((always_inline)) void HideKeys(const QueryPanel& panel, int64_t key, T value,
                                                    Vec<T> (&rows)[kRows][kVectors]) {
  if (key + kRows - 1 <= panel.first) return;
#pragma GCC unroll 32
  for (int64_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int64_t v = 0; v < kVectors; ++v) {
      rows[r][v] = HiddenLanes<T>(panel, key + r, v) ? Broadcast<T>(value) : rows[r][v];
    }
  }
}

// An epilogue that stores scores and finds each query's maximum.
template <typename T>
struct StoreCausalScores {
  T* scores;
  QueryPanel panel;
  T* maxima;  // [Q]

  template <int64_t kRows, int64_t kVectors>
  inline __attribute__((always_inline)) void operator()(Vec<T> (&sums)[kRows][kVectors],
                                                        int64_t key) const {
    HideKeys<T>(panel, key, static_cast<T>(-__builtin_inf()), sums);
    StoreWithMaxima<T>(sums, scores + key * kPanelColumns<T>, maxima);
  }
};

// An epilogue that turns scores into probabilities.
template <typename T>
struct StoreCausalProbabilities {
  T* probabilities;
  QueryPanel panel;
  const T* maxima;    // [Q]
  const T* inverses;  // [Q]

  template <int64_t kRows, int64_t kVectors>
  inline __attribute__((always_inline)) void operator()(Vec<T> (&sums)[kRows][kVectors],
                                                        int64_t key) const {
#pragma GCC unroll 4
    for (int64_t v = 0; v < kVectors; ++v) {
      const Vec<T> maximum = Load<T>(maxima + v * kLanes<T>);
      const Vec<T> inverse = Load<T>(inverses + v * kLanes<T>);
#pragma GCC unroll 32
      for (int64_t r = 0; r < kRows; ++r) {
        sums[r][v] = PowerOfScore<T>(sums[r][v], maximum) * inverse;
      }
    }
    HideKeys<T>(panel, key, T{0}, sums);
#pragma GCC unroll 32
    for (int64_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
      for (int64_t v = 0; v < kVectors; ++v) {
        Store<T>(probabilities + (key + r) * kPanelColumns<T> + v * kLanes<T>, sums[r][v]);
      }
    }
  }
};

// An epilogue that turns gradients with respect to the probabilities into gradients with respect to
// the scores.
template <typename T>
struct StoreScoreGradients {
  T* d_scores;
  const T* probabilities;
  const T* means;  // [Q]: the gradients' means, weighted by the probabilities

  template <int64_t kRows, int64_t kVectors>
  inline __attribute__((always_inline)) void operator()(Vec<T> (&sums)[kRows][kVectors],
                                                        int64_t key) const {
#pragma GCC unroll 4
    for (int64_t v = 0; v < kVectors; ++v) {
      const Vec<T> mean = Load<T>(means + v * kLanes<T>);
#pragma GCC unroll 32
      for (int64_t r = 0; r < kRows; ++r) {
        const int64_t at = (key + r) * kPanelColumns<T> + v * kLanes<T>;
        Store<T>(d_scores + at, Load<T>(probabilities + at) * (sums[r][v] - mean));
      }
    }
  }
};

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
