// The backward pass of tile_attention.h. vec.h states who may include this.
#pragma once

#include <cstdint>

#include "core/kernels/encoder/attention.h"
#include "core/kernels/encoder/attention_parts.h"
#include "core/kernels/encoder/causal_attention_backward.h"
#include "core/kernels/encoder/causal_panels.h"
#include "core/kernels/encoder/tile_attention.h"
#include "core/kernels/encoder/tile_attention_parts.h"
#include "core/kernels/simd/add_tile.h"
#include "core/kernels/simd/lanes.h"
#include "core/kernels/simd/store_head.h"

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
        square[r] = row < panel.keys()
                        ? Load<float>(out.At(row, c)) * Load<float>(d_out.At(row, c))
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
        weight[v] = TileProbabilities<kMasked>(scores + at + v * kTileSide, panel, rows,
                                               first + j + r, v);
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

// Adds the gradients of keys first .. first + count - 1 and their values to the sums, or writes
// them if `overwrite`.
inline void AddTileKeyGradients(const TileScratch& tiles, const TileSizes& sizes, int64_t first,
                                int64_t count, bool overwrite) {
  for (int64_t j = 0; j < count; j += kTileSide) {
    for (int64_t at = 0; at < sizes.channels; at += kTileSide) {
      const int64_t to = (first + j) * sizes.channels + at;
      AddTile({tiles.d_scores + j * kTileSide, kTileSide, 0},
              {tiles.query_pairs + at * kTileSide, kTileSide}, !overwrite, tiles.d_keys + to,
              sizes.channels);
      AddTile({tiles.probabilities + j * kTileSide, kTileSide, 0},
              {tiles.d_out_pairs + at * kTileSide, kTileSide}, !overwrite, tiles.d_values + to,
              sizes.channels);
    }
  }
}

// Writes the gradient of the panel's queries, and adds those of its keys and values to the sums.
inline void TilePanelBackward(const AttentionCall<float>& c,
                              const CausalAttentionGradient<float>& gradient,
                              const Head<float>& head, View<const float> d_out,
                              View<const float> out, const TileScratch& tiles,
                              const QueryPanel& panel) {
  const TileSizes sizes(c.shape);
  PackPanelColumns(head.queries, panel, sizes, ScoreFactor<float>(head.channels),
                   c.scratch.queries);
  PackPanelColumns(d_out, panel, sizes, 1, c.scratch.d_out);
  PackPanelPairs(head.queries, panel, sizes, tiles.query_pairs);
  PackPanelPairs(d_out, panel, sizes, tiles.d_out_pairs);
  TilePanelRows rows;
  TileMeans(out, d_out, panel, sizes, rows.means);
  const float* const maxima = c.MaximaOfHead(head.number) + panel.first;
  for (int64_t v = 0; v < 2; ++v) {
    const int64_t lanes = v * kTileSide < panel.count ? panel.count - v * kTileSide : 0;
    rows.maxima[v] = LoadFirst<float>(maxima + v * kTileSide, lanes);
    rows.inverses[v] =
        LoadFirst<float>(maxima + RoundUpToLanes<float>(c.shape.nodes) + v * kTileSide, lanes);
  }
  for (int64_t first = 0; first < panel.keys(); first += kTileKeys) {
    const int64_t rest = panel.keys() - first;
    const int64_t count = rest < kTileKeys ? rest : kTileKeys;
    TileScores(c, tiles, first, count, c.scratch.scores);
    MultiplyTileBlocks({tiles.value_rows, kTileSide, sizes.keys * kTileSide}, first, count,
                       {c.scratch.d_out, kTileBlock}, sizes.pairs / kTileSide,
                       c.scratch.d_scores);
    const int64_t end = (count + 1) / 2 * 2;
    const int64_t seen = panel.count == kTileBlock ? (panel.first + 1 - first) / 2 * 2 : 0;
    const int64_t begin = seen < 0 ? 0 : seen < end ? seen : end;
    TileScoreGradients<false>(c, tiles, panel, rows, first, 0, begin);
    TileScoreGradients<true>(c, tiles, panel, rows, first, begin, end);
    ClearTileRows(tiles, first, end, 2 * TilePairs(count));
    AddTileKeyGradients(tiles, sizes, first, count, panel.keys() == c.shape.nodes);
  }
  MultiplyTileBlocks({tiles.channels, kTileSide, sizes.channels * kTileSide}, 0, sizes.channels,
                     {tiles.weights, kTileBlock}, TilePairs(panel.keys()) / kTileSide,
                     c.scratch.sums);
  StoreTransposedHead<float>(c.scratch.sums, panel.count, head.channels, nullptr,
                             InverseRootOf<float>(head.channels),
                             gradient.d_qkv.From(panel.first), head.number * head.channels);
}

// Writes d_qkv. Reads c.softmax as TileAttentionForward has written it. c.scratch must be that of
// TileScratch::PlainShape.
inline void TileAttentionBackward(const AttentionCall<float>& c, const TileScratch& tiles,
                                  const CausalAttentionGradient<float>& gradient) {
  const TileUse use;
  const AttentionShape& s = c.shape;
  const TileSizes sizes(s);
  for (int64_t m = 0; m < s.heads; ++m) {
    const Head<float> head(c, m);
    const int64_t column = m * head.channels;
    const HeadGradientRows<float> rows(c, gradient, column);
    PackRowPairs(head.keys, s.nodes, sizes, tiles.key_rows);
    PackRowPairs(head.values, s.nodes, sizes, tiles.value_rows);
    PackChannels(head.keys, s.nodes, sizes, tiles.channels);
    // Begins with the last queries, which see all keys and overwrite all sums.
    for (int64_t n = QueryPanels<float>(s.nodes) - 1; n >= 0; --n) {
      TilePanelBackward(c, gradient, head, rows.d_out, rows.out, tiles,
                        QueryPanelOf<float>(s.nodes, n));
    }
    StoreHeadRows<float>(tiles.d_keys, sizes.channels, s.nodes, head.channels,
                         InverseRootOf<float>(head.channels), gradient.d_qkv, s.hidden + column);
    StoreHeadRows<float>(tiles.d_values, sizes.channels, s.nodes, head.channels, 1, gradient.d_qkv,
                         2 * s.hidden + column);
  }
}

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
