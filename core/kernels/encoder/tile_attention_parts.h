// Memory and operands of causal attention in bf16 with tiles (tiles.h). The left sides of products
// are rows of pairs of neighbours; the right sides have pairs of rows. vec.h states who may include
// this.
#pragma once

#include <cstdint>

#include "core/kernels/encoder/attention.h"
#include "core/kernels/encoder/attention_parts.h"
#include "core/kernels/encoder/causal_panels.h"
#include "core/kernels/simd/bf16.h"
#include "core/kernels/simd/memory.h"
#include "core/kernels/simd/tile_gradient.h"
#include "core/kernels/simd/tiles.h"
#include "core/kernels/simd/transpose.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// Maximum number of keys whose gradients are computed together, so that all operands stay in the L1
// cache. A multiple of kTileBlock.
inline constexpr int64_t kTileKeys = 64;

// Sizes of a head's operands. Padded rows and columns are 0.
struct TileSizes {
  int64_t keys;      // N, padded to a multiple of 32
  int64_t channels;  // D, padded to a multiple of 16
  int64_t pairs;     // of channels, padded to a multiple of 16

  explicit TileSizes(const AttentionShape& s)
      : keys(2 * TilePairs(s.nodes)),
        channels(RoundUpToLanes<float>(s.hidden / s.heads)),
        pairs(TilePairs(channels)) {}
};

// Memory of one call. Its arrays hold pairs unless stated otherwise. Panels have 32 queries.
struct TileScratch {
  float* key_rows;       // [pairs / 16, N, 16]
  float* value_rows;     // [pairs / 16, N, 16]
  float* channels;       // [N / 32, D, 16]: transposed values (forward) or keys (backward)
  float* query_pairs;    // [D / 16, 16, 16]: a panel's queries, two rows a pair
  float* d_out_pairs;    // [D / 16, 16, 16]
  float* weights;        // [N / 2, 32]: powers, or gradients w.r.t. scores; two keys a pair
  float* probabilities;  // [kTileKeys, 16]: two queries a pair
  float* d_scores;       // [kTileKeys, 16]
  float* d_keys;         // [N, D], sums in float
  float* d_values;       // [N, D], sums in float
  float* plain;          // of an AttentionScratch for N nodes

  TileScratch(const AttentionShape& s, Memory<float>& memory) {
    const TileSizes sizes(s);
    key_rows = memory.Take(sizes.keys * sizes.pairs);
    value_rows = memory.Take(sizes.keys * sizes.pairs);
    channels = memory.Take(sizes.keys / 2 * sizes.channels);
    query_pairs = memory.Take(kTileSide * sizes.channels);
    d_out_pairs = memory.Take(kTileSide * sizes.channels);
    weights = memory.Take(sizes.keys / 2 * kTileBlock);
    probabilities = memory.Take(kTileKeys * kTileSide);
    d_scores = memory.Take(kTileKeys * kTileSide);
    d_keys = memory.Take(sizes.keys * sizes.channels);
    d_values = memory.Take(sizes.keys * sizes.channels);
    plain = memory.Take(AttentionScratch<float>::Size(PlainShape(s)));
  }
  // The shape of a plain call, whose arrays of keys have room for whole tiles.
  static AttentionShape PlainShape(const AttentionShape& s) {
    return {TileSizes(s).keys, s.hidden, s.heads, 0};
  }
};

// Returns the pairs of neighbours among 32 channels of a row, from `column` on, times `factor`.
inline __attribute__((always_inline)) Vec<float> ChannelPairs(const View<const float>& rows,
                                                              int64_t r, int64_t column,
                                                              int64_t channels, float factor) {
  const Vec<float> first = Load<float>(rows.At(r, column));
  const Vec<float> second =
      channels - column > kTileSide ? Load<float>(rows.At(r, column + kTileSide)) : Vec<float>{};
  return PairColumns(first * factor, second * factor);
}

// Writes a head's `nodes` rows as the left side of a product, [pairs / 16, N, 16].
inline void PackRowPairs(View<const float> rows, int64_t nodes, const TileSizes& sizes, float* to) {
  for (int64_t c = 0; c < sizes.channels; c += kTileBlock) {
    for (int64_t r = 0; r < nodes; ++r, to += kTileSide) {
      Store<float>(to, ChannelPairs(rows, r, c, sizes.channels, 1));
    }
    for (int64_t r = nodes; r < sizes.keys; ++r, to += kTileSide) Store<float>(to, Vec<float>{});
  }
}

// Writes a head's transposed `nodes` rows as the left side of a product over nodes, [N / 32, D,
// 16].
inline void PackChannels(View<const float> rows, int64_t nodes, const TileSizes& sizes, float* to) {
  for (int64_t r = 0; r < sizes.keys; r += kTileBlock) {
    for (int64_t c = 0; c < sizes.channels; c += kTileSide, to += kTileSide * kTileSide) {
      Vec<float> square[kTileSide];
#pragma GCC unroll 16
      for (int64_t p = 0; p < kTileSide; ++p) square[p] = PairOfRows(rows, r + 2 * p, nodes, c);
      TransposeSquare<float>(square);
#pragma GCC unroll 16
      for (int64_t o = 0; o < kTileSide; ++o) Store<float>(to + o * kTileSide, square[o]);
    }
  }
}

// Writes the panel's transposed rows times `factor` as the right side of a product over channels,
// [pairs, 32].
inline void PackPanelColumns(View<const float> rows, const QueryPanel& panel,
                             const TileSizes& sizes, float factor, float* to) {
  for (int64_t c = 0; c < sizes.channels; c += kTileBlock, to += kTileSide * kTileBlock) {
    for (int64_t i = 0; i < kTileBlock; i += kTileSide) {
      Vec<float> square[kTileSide];
#pragma GCC unroll 16
      for (int64_t r = 0; r < kTileSide; ++r) {
        square[r] = i + r < panel.count
                        ? ChannelPairs(rows, panel.first + i + r, c, sizes.channels, factor)
                        : Vec<float>{};
      }
      TransposeSquare<float>(square);
#pragma GCC unroll 16
      for (int64_t r = 0; r < kTileSide; ++r) Store<float>(to + r * kTileBlock + i, square[r]);
    }
  }
}

// Writes the panel's rows as the right side of a product over queries, [D / 16, 16, 16].
inline void PackPanelPairs(View<const float> rows, const QueryPanel& panel, const TileSizes& sizes,
                           float* to) {
  for (int64_t c = 0; c < sizes.channels; c += kTileSide) {
    for (int64_t p = 0; p < kTileSide; ++p, to += kTileSide) {
      Store<float>(to, PairOfRows(rows.From(panel.first), 2 * p, panel.count, c));
    }
  }
}

// Computes products [rows, 32] of a left side from row `first` on, rounded up to whole tiles.
inline void MultiplyTileBlocks(const TileLeft& a, int64_t first, int64_t rows, const TileRight& b,
                               int64_t steps, float* to) {
  for (int64_t r = 0; r < rows; r += kTileBlock) {
    const TileLeft at{a.data + (first + r) * a.row, a.row, a.step};
    if (rows - r > kTileSide) {
      MultiplyTiles<true, true>(at, b, steps, to + r * kTileBlock);
    } else {
      MultiplyTiles<false, true>(at, b, steps, to + r * kTileBlock);
    }
  }
}

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
