// The gradients with respect to a panel's scores in tile_attention_backward.h, between products of
// tiles. vec.h states who may include this.
#pragma once

#include <cstdint>

#include "core/kernels/encoder/attention.h"
#include "core/kernels/encoder/attention_parts.h"
#include "core/kernels/encoder/causal_panels.h"
#include "core/kernels/encoder/tile_attention_parts.h"
#include "core/kernels/simd/bf16.h"
#include "core/kernels/simd/lanes.h"
#include "core/kernels/simd/transpose.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// Returns the lanes of vector `v` whose queries do not see `key`, or do not exist.
inline __attribute__((always_inline)) IntVec<float> UnseenLanes(const QueryPanel& panel,
                                                                int64_t key, int64_t v) {
  const IntVec<float> hidden = HiddenLanes<float>(panel, key, v);
  if (panel.count == kTileBlock) return hidden;
  return hidden | ~FirstLanes<float>(panel.count - v * kLanes<float>);
}

// A panel's constants: its queries' maxima, inverse sums and means of gradients.
struct TilePanelRows {
  Vec<float> maxima[2];
  Vec<float> inverses[2];
  Vec<float> means[2];
};

// Writes the means of MeansOfGradients for the panel's queries to `means`.
inline void TileMeans(View<const float> out, View<const float> d_out, const QueryPanel& panel,
                      const TileSizes& sizes, Vec<float> (&means)[2]) {
  for (int64_t v = 0; v < 2; ++v) {
    means[v] = Vec<float>{};
    for (int64_t c = 0; c < sizes.channels; c += kTileSide) {
      Vec<float> square[kTileSide];
#pragma GCC unroll 16
      for (int64_t r = 0; r < kTileSide; ++r) {
        const int64_t row = panel.first + v * kTileSide + r;
        square[r] = row < panel.keys() ? Load<float>(out.At(row, c)) * Load<float>(d_out.At(row, c))
                                       : Vec<float>{};
      }
      TransposeSquare<float>(square);
#pragma GCC unroll 16
      for (int64_t r = 0; r < kTileSide; ++r) means[v] += square[r];
    }
  }
}

// Returns the probabilities of `key` in vector `v` of a panel.
template <bool kMasked>
inline __attribute__((always_inline)) Vec<float> TileProbabilities(const float* scores,
                                                                   const QueryPanel& panel,
                                                                   const TilePanelRows& rows,
                                                                   int64_t key, int64_t v) {
  const Vec<float> value =
      PowerOfScore<float>(Load<float>(scores), rows.maxima[v]) * rows.inverses[v];
  if constexpr (kMasked) return UnseenLanes(panel, key, v) ? Vec<float>{} : value;
  return value;
}

// Turns the scores of keys `first` + j for `begin` <= j < `end`, both even, in c.scratch.scores,
// and the gradients with respect to the probabilities in c.scratch.d_scores, into the operands of
// the further products: a row of pairs of queries for each key, and a row of pairs of keys.
template <bool kMasked>
inline void TileScoreGradients(const AttentionCall<float>& c, const TileScratch& tiles,
                               const QueryPanel& panel, const TilePanelRows& all_rows,
                               int64_t first, int64_t begin, int64_t end) {
  const TilePanelRows rows = all_rows;
  const float* const scores = c.scratch.scores;
  const float* const d_weights = c.scratch.d_scores;
  float* const probabilities = tiles.probabilities;
  float* const d_scores = tiles.d_scores;
  float* const weights = tiles.weights + first / 2 * kTileBlock;
  for (int64_t j = begin; j < end; j += 2) {
    Vec<float> d[2][2];
#pragma GCC unroll 2
    for (int64_t r = 0; r < 2; ++r) {
      Vec<float> weight[2];
      const int64_t at = (j + r) * kTileBlock;
#pragma GCC unroll 2
      for (int64_t v = 0; v < 2; ++v) {
        weight[v] =
            TileProbabilities<kMasked>(scores + at + v * kTileSide, panel, rows, first + j + r, v);
        d[r][v] = weight[v] * (Load<float>(d_weights + at + v * kTileSide) - rows.means[v]);
      }
      Store<float>(probabilities + (j + r) * kTileSide, PairColumns(weight[0], weight[1]));
      Store<float>(d_scores + (j + r) * kTileSide, PairColumns(d[r][0], d[r][1]));
    }
#pragma GCC unroll 2
    for (int64_t v = 0; v < 2; ++v) {
      Store<float>(weights + j / 2 * kTileBlock + v * kTileSide, PairRows(d[0][v], d[1][v]));
    }
  }
}

// Fills the operands' last rows of the keys `first` + j, begin <= j < end, with 0.
inline void ClearTileRows(const TileScratch& tiles, int64_t first, int64_t begin, int64_t end) {
  for (int64_t j = begin; j < end; ++j) {
    Store<float>(tiles.probabilities + j * kTileSide, Vec<float>{});
    Store<float>(tiles.d_scores + j * kTileSide, Vec<float>{});
    Store<float>(tiles.weights + (first + j) * kTileSide, Vec<float>{});
  }
}

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
