// A product's block (gemm.h) that meanwhile brings what the next ones read closer. See vec.h for
// who may include this.
#pragma once

#include <cstdint>

#include "core/kernels/simd/gemm.h"
#include "core/kernels/simd/vec.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// Lines to bring into the second-level cache, one a step of the inner dimension.
template <typename T>
struct Ahead {
  const T* next;
  int64_t step;  // elements from line to line
};

// Rows i .. i + kRows - 1 and columns j .. j + kBlockVectors kLanes - 1 of C; `b` is their panel.
template <typename T, int64_t kRows, typename Epilogue>
inline __attribute__((always_inline)) void BlockWithAhead(MatrixA<T> a, const T* b, int64_t inner,
                                                          Ahead<T> ahead, int64_t i, int64_t j,
                                                          const Epilogue& epilogue) {
  Vec<T> sums[kRows][kBlockVectors] = {};
  BlockRows<T, kRows> rows(a, i);
  for (int64_t k = 0; k < inner; ++k, rows.Next(), b += kBlockVectors * kLanes<T>) {
    __builtin_prefetch(ahead.next, 0, 2);
    ahead.next += ahead.step;
    Vec<T> row[kBlockVectors];
#pragma GCC unroll 4
    for (int64_t v = 0; v < kBlockVectors; ++v) row[v] = Load<T>(b + v * kLanes<T>);
#pragma GCC unroll 16
    for (int64_t r = 0; r < kRows; ++r) {
      const Vec<T> value = Broadcast<T>(rows.At(r));
#pragma GCC unroll 4
      for (int64_t v = 0; v < kBlockVectors; ++v) sums[r][v] += value * row[v];
    }
  }
#pragma GCC unroll 16
  for (int64_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int64_t v = 0; v < kBlockVectors; ++v) epilogue(i + r, j + v * kLanes<T>, sums[r][v]);
  }
}

// Brings the block of C that begins at `to` into the first-level cache, to be written.
template <typename T>
inline __attribute__((always_inline)) void PrefetchBlock(T* to, int64_t stride, int64_t rows) {
  for (int64_t r = 0; r < rows; ++r) {
#pragma GCC unroll 4
    for (int64_t v = 0; v < kBlockVectors; ++v) {
      __builtin_prefetch(to + r * stride + v * kLanes<T>, 1);
    }
  }
}

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
