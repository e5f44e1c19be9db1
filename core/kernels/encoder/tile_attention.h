// Causal attention of one sequence in bf16 with tiles, forward. Queries, keys, values and powers
// are rounded when they enter a product; sums and the softmax are in float. The panels and
// transposed scores are those of causal_attention.h. vec.h states who may include this.
#pragma once

#include <cstdint>

#include "core/kernels/encoder/attention.h"
#include "core/kernels/encoder/attention_parts.h"
#include "core/kernels/encoder/causal_panels.h"
#include "core/kernels/encoder/tile_attention_parts.h"
#include "core/kernels/simd/store_head.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// Computes the scores of the panel's keys, from `first` on, to `to` [keys, 32].
inline void TileScores(const AttentionCall<float>& c, const TileScratch& tiles, int64_t first,
                       int64_t keys, float* to) {
  const TileSizes sizes(c.shape);
  MultiplyTileBlocks({tiles.key_rows, kTileSide, sizes.keys * kTileSide}, first, keys,
                     {c.scratch.queries, kTileBlock}, sizes.pairs / kTileSide, to);
}

// Replaces the scores of the panel's vector `v` by pairs of powers of two keys in tiles.weights.
// Writes the queries' maxima, and the inverses of the powers' sums.
inline void TileSoftmax(const QueryPanel& panel, int64_t v, const float* scores, float* weights,
                        float* maxima, float* inverses) {
  const float* const from = scores + v * kTileSide;
  const int64_t last = panel.first + (v + 1) * kTileSide;
  const int64_t end = last < panel.keys() ? last : panel.keys();  // of the keys that are seen
  Vec<float> maximum = Load<float>(from);                         // all queries see the first key
  for (int64_t j = 1; j < end; ++j) {
    const Vec<float> higher = Max<float>(maximum, Load<float>(from + j * kTileBlock));
    maximum = j > panel.first ? (HiddenLanes<float>(panel, j, v) ? maximum : higher) : higher;
  }
  Vec<float> sum{};
  const auto power = [&](int64_t j) __attribute__((always_inline)) {
    const Vec<float> value = PowerOfScore<float>(Load<float>(from + j * kTileBlock), maximum);
    return j > panel.first ? (HiddenLanes<float>(panel, j, v) ? Vec<float>{} : value) : value;
  };
  float* to = weights + v * kTileSide;
  int64_t j = 0;
  for (; j + 2 <= end; j += 2, to += kTileBlock) {
    const Vec<float> first = power(j);
    const Vec<float> second = power(j + 1);
    sum += first + second;
    Store<float>(to, PairRows(first, second));
  }
  if (j < end) {
    const Vec<float> first = power(j);
    sum += first;
    Store<float>(to, PairRows(first, Vec<float>{}));
    j += 2;
    to += kTileBlock;
  }
  for (; j < 2 * TilePairs(panel.keys()); j += 2, to += kTileBlock) Store<float>(to, Vec<float>{});
  Store<float>(maxima + v * kTileSide, maximum);
  Store<float>(inverses + v * kTileSide, 1.0F / sum);
}

// Writes the head's columns of `out` for the panel's queries, and their maxima and inverse sums to
// c.softmax.
inline void AttendTilePanel(const AttentionCall<float>& c, const Head<float>& head,
                            const TileScratch& tiles, const QueryPanel& panel, View<float> out) {
  const TileSizes sizes(c.shape);
  float* const maxima = c.MaximaOfHead(head.number) + panel.first;
  float* const inverses = maxima + RoundUpToLanes<float>(c.shape.nodes);
  PackPanelColumns(head.queries, panel, sizes, ScoreFactor<float>(head.channels),
                   c.scratch.queries);
  TileScores(c, tiles, 0, panel.keys(), c.scratch.scores);
  for (int64_t v = 0; v * kTileSide < panel.count; ++v) {
    TileSoftmax(panel, v, c.scratch.scores, tiles.weights, maxima, inverses);
  }
  MultiplyTileBlocks({tiles.channels, kTileSide, sizes.channels * kTileSide}, 0, sizes.channels,
                     {tiles.weights, kTileBlock}, TilePairs(panel.keys()) / kTileSide,
                     c.scratch.sums);
  StoreTransposedHead<float>(c.scratch.sums, panel.count, head.channels, inverses, 1,
                             out.From(panel.first), head.number * head.channels);
}

// Writes `out` [N, H] and c.softmax. c.scratch must be that of TileScratch::PlainShape.
inline void TileAttentionForward(const AttentionCall<float>& c, const TileScratch& tiles,
                                 View<float> out) {
  const TileUse use;
  const TileSizes sizes(c.shape);
  for (int64_t m = 0; m < c.shape.heads; ++m) {
    const Head<float> head(c, m);
    PackRowPairs(head.keys, c.shape.nodes, sizes, tiles.key_rows);
    PackChannels(head.values, c.shape.nodes, sizes, tiles.channels);
    for (int64_t n = 0; n < QueryPanels<float>(c.shape.nodes); ++n) {
      AttendTilePanel(c, head, tiles, QueryPanelOf<float>(c.shape.nodes, n), out);
    }
  }
}

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
