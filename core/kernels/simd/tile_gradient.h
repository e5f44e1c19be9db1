// A weight's gradient, C += A^T B over many rows, with tiles (tiles.h). Rows are in pairs, and the
// left side is transposed. vec.h states who may include this.
#pragma once

#include <cstdint>

#include "core/kernels/simd/panels.h"
#include "core/kernels/simd/tiles.h"
#include "core/kernels/simd/transpose.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// Number of rows of a chunk, for which a block of the right side's columns stays in the L1 cache.
inline constexpr int64_t kTileChunkRows = 512;

inline int64_t TileChunkPairs(int64_t rows) {
  return TilePairs(rows < kTileChunkRows ? rows : kTileChunkRows);
}
// Returns the number of floats of AddTileGradient's scratch.
inline int64_t TileGradientScratch(int64_t rows, int64_t inputs) {
  return TileChunkPairs(rows) * (kTileBlock + SizeInPanels<float>(1, inputs));
}

// Returns the pairs of rows r and r + 1 at 16 columns. Missing rows count as 0.
inline __attribute__((always_inline)) Vec<float> PairOfRows(View<const float> from, int64_t r,
                                                            int64_t rows, int64_t column) {
  const float* const at = from.At(r, column);
  return PairRows(r < rows ? Load<float>(at) : Vec<float>{},
                  r + 1 < rows ? Load<float>(at + from.row) : Vec<float>{});
}

// Packs `columns` columns (one or two tiles) of the left side: [steps, kTileBlock, 16 pairs].
inline void PackTileLeft(View<const float> a, int64_t rows, int64_t column, int64_t columns,
                         float* to) {
  for (int64_t r = 0; r < rows; r += 2 * kTileSide, to += kTileBlock * kTileSide) {
    for (int64_t c = 0; c < columns; c += kTileSide) {
      Vec<float> square[kTileSide];
#pragma GCC unroll 16
      for (int64_t p = 0; p < kTileSide; ++p) {
        square[p] = PairOfRows(a, r + 2 * p, rows, column + c);
      }
      TransposeSquare<float>(square);
#pragma GCC unroll 16
      for (int64_t o = 0; o < kTileSide; ++o) Store<float>(to + (c + o) * kTileSide, square[o]);
    }
  }
}

// Packs the right side in panels of kTileBlock columns, [pairs, width] each, the last one without a
// gap.
inline void PackTileRight(View<const float> b, int64_t rows, int64_t columns, float* to) {
  const int64_t pairs = TilePairs(rows);
  for (int64_t first = 0; first < columns; first += kTileBlock) {
    const int64_t width = columns - first < kTileBlock ? columns - first : kTileBlock;
    for (int64_t p = 0; p < pairs; ++p) {
      for (int64_t j = 0; j < width; j += kTileSide, to += kTileSide) {
        Store<float>(to, PairOfRows(b, 2 * p, rows, first + j));
      }
    }
  }
}

// Calls `add` (i: output, j: input) with the values of a^T b of at most kTileChunkRows rows, for a
// [rows, outputs] and b [rows, inputs]. Both widths are multiples of 16.
template <typename Add>
inline void AddTileGradient(View<const float> a, View<const float> b, int64_t rows, int64_t outputs,
                            int64_t inputs, float* scratch, const Add& add) {
  const int64_t pairs = TilePairs(rows);
  float* const left = scratch;
  float* const right = scratch + pairs * kTileBlock;
  PackTileRight(b, rows, inputs, right);
  const TileUse use;
  for (int64_t i = 0; i < outputs; i += kTileBlock) {
    const int64_t height = outputs - i < kTileBlock ? outputs - i : kTileBlock;
    PackTileLeft(a, rows, i, height, left);
    for (int64_t j = 0; j < inputs; j += kTileBlock) {
      const int64_t width = inputs - j < kTileBlock ? inputs - j : kTileBlock;
      MultiplyTileRows({left, kTileSide, kTileBlock * kTileSide}, height,
                       {right + j * pairs, width}, pairs / kTileSide, j, width, add.At(i, 0));
    }
  }
}

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
