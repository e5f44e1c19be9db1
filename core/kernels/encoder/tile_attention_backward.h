// The backward pass of tile_attention.h. vec.h states who may include this.
#pragma once

#include <cstdint>

#include "core/kernels/encoder/attention.h"
#include "core/kernels/encoder/attention_parts.h"
#include "core/kernels/encoder/causal_attention_backward.h"
#include "core/kernels/encoder/causal_panels.h"
#include "core/kernels/encoder/tile_attention.h"
#include "core/kernels/encoder/tile_attention_parts.h"
#include "core/kernels/encoder/tile_score_gradients.h"
#include "core/kernels/simd/add_tile.h"
#include "core/kernels/simd/lanes.h"
#include "core/kernels/simd/store_head.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

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
                       {c.scratch.d_out, kTileBlock}, sizes.pairs / kTileSide, c.scratch.d_scores);
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
                             InverseRootOf<float>(head.channels), gradient.d_qkv.From(panel.first),
                             head.number * head.channels);
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
