// Products of a few rows with contiguous columns, for decoder steps that are scored one by one.
// vec.h states who may include this.
#pragma once

#include <cstdint>

#include "core/kernels/simd/vec.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// Calls visit(r, j, sum) for the products of kRows rows with kVectors vectors of columns, from
// column j on. Row r has `inner` contiguous elements and its own columns, a contiguous [inner,
// padded]. Two rows with four vectors have eight simultaneous sums, which keep both multipliers
// busy.
template <int64_t kRows, int64_t kVectors, typename T, typename Visit>
inline __attribute__((always_inline)) void DotSome(const T* rows, const T* columns, int64_t inner,
                                                   int64_t padded, int64_t j, const Visit& visit) {
  Vec<T> sums[kRows][kVectors];
#pragma GCC unroll 8
  for (int64_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (int64_t v = 0; v < kVectors; ++v) sums[r][v] = Vec<T>{};
  }
  const T* column = columns + j;
  for (int64_t k = 0; k < inner; ++k, column += padded) {
#pragma GCC unroll 8
    for (int64_t r = 0; r < kRows; ++r) {
      const Vec<T> value = Broadcast<T>(rows[r * inner + k]);
#pragma GCC unroll 8
      for (int64_t v = 0; v < kVectors; ++v) {
        sums[r][v] += value * Load<T>(column + r * inner * padded + v * kLanes<T>);
      }
    }
  }
#pragma GCC unroll 8
  for (int64_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (int64_t v = 0; v < kVectors; ++v) visit(r, j + v * kLanes<T>, sums[r][v]);
  }
}
// Calls visit(r, j, sum) for all columns of kRows rows.
template <int64_t kRows, typename T, typename Visit>
inline __attribute__((always_inline)) void DotColumns(const T* rows, const T* columns,
                                                      int64_t inner, int64_t padded,
                                                      const Visit& visit) {
  int64_t j = 0;
  for (; j + 4 * kLanes<T> <= padded; j += 4 * kLanes<T>) {
    DotSome<kRows, 4, T>(rows, columns, inner, padded, j, visit);
  }
  for (; j < padded; j += kLanes<T>) {
    DotSome<kRows, 1, T>(rows, columns, inner, padded, j, visit);
  }
}

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
