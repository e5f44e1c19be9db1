// Operands of LSTMs' products in bf16 for tiles (tiles.h). They are those of bf16_operands.h, with
// the inner dimension zero-padded to whole tiles. vec.h states who may include this.
#pragma once

#include <cstdint>

#include "core/kernels/simd/bf16_operands.h"
#include "core/kernels/simd/epilogue.h"
#include "core/kernels/simd/sequence_gradient.h"
#include "core/kernels/simd/step_product.h"
#include "core/kernels/simd/tile_gradient.h"
#include "core/kernels/simd/tiles.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// Operands with the interface of PlainOperands.
struct TileOperands : Bf16Operands {
  static int64_t PackedInner(int64_t inner) { return TilePairs(inner); }
  // Returns the size of rows padded to whole tiles.
  static int64_t WorkSize(int64_t rows, int64_t inner) {
    return Bf16Operands::WorkSize(RoundUpToLanes<float>(rows), inner);
  }

  // Computes a product like MultiplySteps.
  template <typename Epilogue>
  static void Multiply(const StepProduct<float>& p, bool from_last, const Epilogue& epilogue) {
    const int64_t panels = (p.columns + kTileBlock - 1) / kTileBlock;
    const TileUse use;
    for (int64_t first = 0; first < p.rows; first += kStepRows, from_last = !from_last) {
      const int64_t rows = p.rows - first < kStepRows ? p.rows - first : kStepRows;
      const TileLeft left{p.a.data + first * p.a.row, p.a.row, kTileSide};
      for (int64_t n = 0; n < panels; ++n) {
        const int64_t j = (from_last ? panels - 1 - n : n) * kTileBlock;
        const int64_t width = p.columns - j < kTileBlock ? p.columns - j : kTileBlock;
        MultiplyTileRows(left, rows, {p.packed + j * p.inner, width}, p.inner / kTileSide, j, width,
                         epilogue.At(first, 0));
      }
    }
  }

  static int64_t GradientScratch(int64_t inputs) {
    return TileGradientScratch(kTileChunkRows, inputs);
  }
  static void AddGradient(const SequenceGradient<float>& job, int64_t rows) {
    for (int64_t first = 0; first < rows; first += kTileChunkRows) {
      const int64_t count = rows - first < kTileChunkRows ? rows - first : kTileChunkRows;
      const float* const a = job.a + first * job.stride;
      if (job.bias != nullptr) AddColumnSums<float>(a, job.stride, count, job.outputs, job.bias);
      AddTileGradient(ByRows(a, job.stride), ByRows(job.b + first * job.inputs, job.inputs), count,
                      job.outputs, job.inputs, job.scratch, AddTo<float>{job.c, job.inputs});
    }
  }
};

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
