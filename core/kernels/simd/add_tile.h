// A product of single tiles that adds to its destination. vec.h states who may include this.
#pragma once

#include <cstdint>

#include "core/kernels/simd/tiles.h"
#include "core/kernels/simd/vec.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// Writes the product of two tiles to 16 rows of `to`, which are `row` apart, or adds it to them.
// Requires a TileUse.
inline void AddTile(const TileLeft& a, const TileRight& b, bool add, float* to, int64_t row) {
#if VRP_SIMD_TILES
  constexpr int64_t kBytes = sizeof(float);
  __asm__ volatile("" ::: "memory");  // as in MultiplyTiles
  if (add) {
    _tile_loadd(0, to, row * kBytes);
  } else {
    _tile_zero(0);
  }
  _tile_loadd(4, a.data, a.row * kBytes);
  _tile_loadd(6, b.data, b.row * kBytes);
  _tile_dpbf16ps(0, 4, 6);
  _tile_stored(0, to, row * kBytes);
  __asm__ volatile("" ::: "memory");
#else
  for (int64_t r = 0; r < kTileSide; ++r) {
    Vec<float> sum = add ? Load<float>(to + r * row) : Vec<float>{};
    for (int64_t k = 0; k < kTileSide; ++k) {
      sum = AddPairs(sum, Broadcast<float>(a.data[r * a.row + k]), Load<float>(b.data + k * b.row));
    }
    Store<float>(to + r * row, sum);
  }
#endif
}

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
