// Packing of the right side of gemm.h's products. vec.h states who may include this.
#pragma once

#include <cstdint>

#include "core/kernels/simd/gemm.h"
#include "core/kernels/simd/transpose.h"
#include "core/kernels/simd/vec.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// Packs whole vectors of a panel of B, whose columns or rows are contiguous.
template <typename T>
inline void PackVectors(MatrixA<T> b, int64_t inner, int64_t width, T* to) {
  if (b.row == 1) {
    for (int64_t j = 0; j < width; j += kLanes<T>) {
      TransposeTo<T>(b.data + j * b.column, b.column, kLanes<T>, inner, to + j, width);
    }
    return;
  }
  for (int64_t k = 0; k < inner; ++k, to += width) {
    for (int64_t j = 0; j < width; j += kLanes<T>)
      Store<T>(to + j, Load<T>(b.data + k * b.row + j));
  }
}

// Packs B (element (k, j) is data[k * row + j * column]) into panels. `to` has inner * columns
// elements.
template <typename T>
inline void PackB(MatrixA<T> b, int64_t inner, int64_t columns, T* to) {
  constexpr int64_t kPanel = kBlockVectors * kLanes<T>;
  for (int64_t first = 0; first < columns; first += kPanel) {
    const int64_t width = columns - first < kPanel ? columns - first : kPanel;
    if (width % kLanes<T> == 0 && (b.row == 1 || b.column == 1)) {
      PackVectors<T>({b.data + first * b.column, b.row, b.column}, inner, width, to);
      to += inner * width;
      continue;
    }
    for (int64_t k = 0; k < inner; ++k) {
      for (int64_t j = first; j < first + width; ++j) *to++ = b.data[k * b.row + j * b.column];
    }
  }
}

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
