// Features of edges in attention's layout: in panels of queries, a few features at a time. vec.h
// states who may include this.
#pragma once

#include <cstdint>

#include "core/kernels/simd/panels.h"
#include "core/kernels/simd/transpose.h"
#include "core/kernels/simd/vec.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// Number of features that are added together. The last group is padded with zeros.
inline constexpr int64_t kEdgeGroup = 4;

// Returns the number of features, rounded up to whole groups.
inline int64_t PaddedFeatures(int64_t features) {
  return (features + kEdgeGroup - 1) / kEdgeGroup * kEdgeGroup;
}

// Returns the number of elements of one feature.
template <typename T>
inline int64_t EdgeStride(int64_t nodes) {
  constexpr int64_t kColumns = kPanelColumns<T>;
  return (nodes + kColumns - 1) / kColumns * kColumns * nodes;
}
// Returns the number of elements of all features.
template <typename T>
inline int64_t PackedEdgesSize(int64_t features, int64_t nodes) {
  return PaddedFeatures(features) * EdgeStride<T>(nodes);
}

// Packs edges [features, queries, keys] to [padded features, panels, keys, queries of a panel].
// Pads queries to whole vectors and features to whole groups with 0.
template <typename T>
inline void PackEdges(const T* edges, int64_t features, int64_t nodes, T* to) {
  constexpr int64_t kColumns = kPanelColumns<T>;
  const int64_t stride = EdgeStride<T>(nodes);
  for (int64_t e = 0; e < features; ++e) {
    for (int64_t i = 0; i < nodes; i += kColumns) {
      TransposeTo<T>(edges + (e * nodes + i) * nodes, nodes,
                     nodes - i < kColumns ? nodes - i : kColumns, nodes,
                     to + e * stride + i * nodes, kColumns);
    }
  }
  for (int64_t k = features * stride; k < PaddedFeatures(features) * stride; k += kLanes<T>) {
    Store<T>(to + k, Vec<T>{});
  }
}

// A function that turns the products of one panel's queries with a head's keys into scores.
// Multiplies the products by a factor and adds the edges' bias.
template <typename T>
struct ScoreBias {
  T factor;
  const T* edges;    // the panel's first feature
  const T* weights;  // [features]
  int64_t features;  // padded
  int64_t stride;    // between features

  template <int64_t kRows, int64_t kVectors>
  inline __attribute__((always_inline)) void MakeScores(Vec<T> (&scores)[kRows][kVectors],
                                                        int64_t key) const {
#pragma GCC unroll 32
    for (int64_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
      for (int64_t v = 0; v < kVectors; ++v) scores[r][v] *= factor;
    }
    for (int64_t e = 0; e < features; e += kEdgeGroup) {
      const T* const from = edges + e * stride + key * kPanelColumns<T>;
      Vec<T> weight[kEdgeGroup];
#pragma GCC unroll 4
      for (int64_t g = 0; g < kEdgeGroup; ++g) weight[g] = Broadcast<T>(weights[e + g]);
#pragma GCC unroll 32
      for (int64_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
        for (int64_t v = 0; v < kVectors; ++v) {
          const T* const at = from + r * kPanelColumns<T> + v * kLanes<T>;
#pragma GCC unroll 4
          for (int64_t g = 0; g < kEdgeGroup; ++g) {
            scores[r][v] += weight[g] * Load<T>(at + g * stride);
          }
        }
      }
    }
  }
};

// Adds the products d_scores * edges to `sums` [features, lanes]. Both panels have `nodes` keys.
template <int64_t kVectors, typename T>
inline void AddEdgeGradient(const ScoreBias<T>& bias, int64_t nodes, const T* d_scores, T* sums) {
  for (int64_t e = 0; e < bias.features; e += kEdgeGroup) {
    const T* const from = bias.edges + e * bias.stride;
    Vec<T> sum[kEdgeGroup][kVectors] = {};
    for (int64_t j = 0; j < nodes; ++j) {
#pragma GCC unroll 4
      for (int64_t v = 0; v < kVectors; ++v) {
        const int64_t at = j * kPanelColumns<T> + v * kLanes<T>;
        const Vec<T> d = Load<T>(d_scores + at);
#pragma GCC unroll 4
        for (int64_t g = 0; g < kEdgeGroup; ++g) {
          sum[g][v] += d * Load<T>(from + g * bias.stride + at);
        }
      }
    }
    for (int64_t g = 0; g < kEdgeGroup; ++g) {
      T* const to = sums + (e + g) * kLanes<T>;
      Vec<T> total = Load<T>(to);
      for (int64_t v = 0; v < kVectors; ++v) total += sum[g][v];
      Store<T>(to, total);
    }
  }
}

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
