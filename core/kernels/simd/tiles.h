// Products of bf16 pairs (bf16.h) by tiles, 16 rows of 16 pairs or floats. VRP_SIMD_TILES 1 uses
// the processor's tiles (AMX), and 0 uses vectors, for tests on other CPUs. vec.h states who may
// include this.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "core/kernels/simd/bf16.h"
#include "core/kernels/simd/vec.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

inline constexpr int64_t kTileSide = 16;              // rows, and columns of pairs or floats
inline constexpr int64_t kTileBlock = 2 * kTileSide;  // rows and columns of a block: 2 x 2 tiles

// Returns the number of pairs of `count` neighbours on a product's inner dimension, in whole tiles.
inline int64_t TilePairs(int64_t count) {
  return (count + 2 * kTileSide - 1) / (2 * kTileSide) * kTileSide;
}

// The sides of a product, with distances in elements. Rows of either side are `row` apart. The left
// side's next tile on the inner dimension is `step` away. The right side's rows are the inner
// dimension.
struct TileLeft {
  const float* data;
  int64_t row;
  int64_t step;
};
struct TileRight {
  const float* data;
  int64_t row;
};

#if VRP_SIMD_TILES
// A scope in which this thread may use tiles. Until their release, tiles add 8 KiB to every context
// switch.
class TileUse {
 public:
  TileUse() {
    struct alignas(64) Config {
      uint8_t palette = 1;
      uint8_t start_row = 0;
      uint8_t reserved[14] = {};
      uint16_t row_bytes[16] = {};
      uint8_t rows[16] = {};
    } config;
    for (int64_t tile = 0; tile < 8; ++tile) {
      config.row_bytes[tile] = kTileSide * sizeof(float);
      config.rows[tile] = kTileSide;
    }
    _tile_loadconfig(&config);
  }
  TileUse(const TileUse&) = delete;
  TileUse& operator=(const TileUse&) = delete;
  ~TileUse() { _tile_release(); }
};

// Computes the product over `steps` tiles. Writes 16 or 32 rows and columns of `sums`, whose rows
// are kTileBlock apart.
template <bool kTwoRows, bool kTwoColumns>
inline void MultiplyTiles(const TileLeft& a, const TileRight& b, int64_t steps, float* sums) {
  constexpr int64_t kBytes = sizeof(float);
  const float* left = a.data;
  const float* right = b.data;
  // Keeps GCC 12 from moving stores, because it does not know that loading tiles reads memory.
  __asm__ volatile("" ::: "memory");
  _tile_zero(0);
  if constexpr (kTwoColumns) _tile_zero(1);
  if constexpr (kTwoRows) _tile_zero(2);
  if constexpr (kTwoRows && kTwoColumns) _tile_zero(3);
  for (int64_t s = 0; s < steps; ++s, left += a.step, right += kTileSide * b.row) {
    _tile_loadd(4, left, a.row * kBytes);
    _tile_loadd(6, right, b.row * kBytes);
    _tile_dpbf16ps(0, 4, 6);
    if constexpr (kTwoColumns) {
      _tile_loadd(7, right + kTileSide, b.row * kBytes);
      _tile_dpbf16ps(1, 4, 7);
    }
    if constexpr (kTwoRows) {
      _tile_loadd(5, left + kTileSide * a.row, a.row * kBytes);
      _tile_dpbf16ps(2, 5, 6);
    }
    if constexpr (kTwoRows && kTwoColumns) _tile_dpbf16ps(3, 5, 7);
  }
  constexpr int64_t kLower = kTileSide * kTileBlock;
  _tile_stored(0, sums, kTileBlock * kBytes);
  if constexpr (kTwoColumns) _tile_stored(1, sums + kTileSide, kTileBlock * kBytes);
  if constexpr (kTwoRows) _tile_stored(2, sums + kLower, kTileBlock * kBytes);
  if constexpr (kTwoRows && kTwoColumns) {
    _tile_stored(3, sums + kLower + kTileSide, kTileBlock * kBytes);
  }
  __asm__ volatile("" ::: "memory");
}
#else
struct TileUse {
  TileUse() {}
};

template <bool kTwoRows, bool kTwoColumns>
inline void MultiplyTiles(const TileLeft& a, const TileRight& b, int64_t steps, float* sums) {
  for (int64_t r = 0; r < (kTwoRows ? kTileBlock : kTileSide); ++r) {
    for (int64_t j = 0; j < (kTwoColumns ? kTileBlock : kTileSide); j += kTileSide) {
      Vec<float> sum{};
      for (int64_t k = 0; k < steps * kTileSide; ++k) {
        const float* const left = a.data + r * a.row + k / kTileSide * a.step;
        sum = AddPairs(sum, Broadcast<float>(left[k % kTileSide]),
                       Load<float>(b.data + k * b.row + j));
      }
      Store<float>(sums + r * kTileBlock + j, sum);
    }
  }
}
#endif

// Computes C's columns j .. j + width - 1 (one or two tiles) for all `rows`. Calls `epilogue` once
// for each vector of C. Reads whole tiles of the left side's rows, but ignores values beyond the
// last row. Requires a TileUse. A row's results do not depend on the other rows.
template <typename Epilogue>
inline void MultiplyTileRows(const TileLeft& a, int64_t rows, const TileRight& b, int64_t steps,
                             int64_t j, int64_t width, const Epilogue& epilogue) {
  alignas(64) float sums[kTileBlock * kTileBlock];
  for (int64_t i = 0; i < rows; i += kTileBlock) {
    const int64_t count = rows - i < kTileBlock ? rows - i : kTileBlock;
    const TileLeft at{a.data + i * a.row, a.row, a.step};
    if (count > kTileSide && width > kTileSide) {
      MultiplyTiles<true, true>(at, b, steps, sums);
    } else if (count > kTileSide) {
      MultiplyTiles<true, false>(at, b, steps, sums);
    } else if (width > kTileSide) {
      MultiplyTiles<false, true>(at, b, steps, sums);
    } else {
      MultiplyTiles<false, false>(at, b, steps, sums);
    }
    const Epilogue to = epilogue.At(i, j);
    if (width > kTileSide) {
      for (int64_t r = 0; r < count; ++r) {
        to(r, 0, Load<float>(sums + r * kTileBlock));
        to(r, kTileSide, Load<float>(sums + r * kTileBlock + kTileSide));
      }
    } else {
      for (int64_t r = 0; r < count; ++r) to(r, 0, Load<float>(sums + r * kTileBlock));
    }
  }
}

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
