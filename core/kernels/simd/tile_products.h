// The encoder's products in bf16 with tiles (tiles.h). Rounds as bf16_products.h does, and
// zero-pads the inner dimension to whole tiles. vec.h states who may include this.
#pragma once

#include <cstdint>

#include "core/kernels/simd/bf16_products.h"
#include "core/kernels/simd/panel_gradient.h"
#include "core/kernels/simd/panel_product.h"
#include "core/kernels/simd/panels.h"
#include "core/kernels/simd/tile_gradient.h"
#include "core/kernels/simd/tiles.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// Products whose inner dimensions are multiples of 16. The offset PanelProduct::first is a multiple
// of 32.
struct TileProducts {
  using Element = float;

  static int64_t PackedSize(int64_t inner, int64_t columns) { return TilePairs(inner) * columns; }
  static void Pack(MatrixA<float> b, int64_t inner, int64_t columns, float* to) {
    for (int64_t first = 0; first < columns; first += kTileBlock) {
      const int64_t width = columns - first < kTileBlock ? columns - first : kTileBlock;
      Bf16Products::Pack({b.data + first * b.column, b.row, b.column}, inner, width, to);
      to += inner / 2 * width;
      for (int64_t left = (TilePairs(inner) - inner / 2) * width; left > 0; left -= kTileSide) {
        Store<float>(to, Vec<float>{});
        to += kTileSide;
      }
    }
  }
  static int64_t WorkSize(int64_t rows, int64_t columns) {
    const int64_t product = RoundUpToLanes<float>(rows) * TilePairs(columns);
    const int64_t gradient = TileGradientScratch(rows, columns);
    return product > gradient ? product : gradient;
  }

  template <typename Epilogue>
  static void Multiply(View<const float> a, const float* packed, const PanelProduct& size,
                       float* work, const Epilogue& epilogue) {
    const int64_t step = RoundUpToLanes<float>(size.rows) * kTileSide;
    Bf16Products::PairColumnsOf(a, size.rows, size.inner, step, work);
    const TileUse use;
    for (int64_t j = 0; j < size.columns; j += kTileBlock) {
      const int64_t width = size.columns - j < kTileBlock ? size.columns - j : kTileBlock;
      const float* const right = packed + j * TilePairs(size.depth) + size.first / 2 * width;
      MultiplyTileRows({work, kTileSide, step}, size.rows, {right, width},
                       TilePairs(size.inner) / kTileSide, j, width, epilogue);
    }
  }

  static void AddGradient(View<const float> a, View<const float> b, const GradientSize& size,
                          float* work, AddGradientTo<float> add) {
    for (int64_t first = 0; first < size.rows; first += kTileChunkRows) {
      const int64_t left = size.rows - first;
      AddTileGradient(a.From(first), b.From(first), left < kTileChunkRows ? left : kTileChunkRows,
                      size.outputs, size.inputs, work, add);
      add.sums = nullptr;
    }
  }
};

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
