// Blocks of a product (gemm.h) with any kind of steps (panel_product.h). A block can
// prefetch operands of later blocks. vec.h states who may include this.
#pragma once

#include <cstdint>

#include "core/kernels/simd/gemm.h"
#include "core/kernels/simd/vec.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// A prefetcher of cache lines into the L2 cache, one per step of the inner dimension.
template <typename T>
struct Prefetcher {
  const T* next;
  int64_t step;  // elements from line to line
  inline __attribute__((always_inline)) void Fetch() {
    __builtin_prefetch(next, 0, 2);
    next += step;
  }
};
// A prefetcher that fetches nothing.
struct NoPrefetch {
  inline __attribute__((always_inline)) void Fetch() {}
};

// Blocks of kVectors vectors of C's columns from j on. `b` points to their panel, with b_step
// elements per step.
template <typename T, typename Steps, int64_t kVectors, typename Epilogue>
struct ColumnBlocks {
  MatrixA<T> a;
  const T* b;
  int64_t b_step;
  int64_t inner;
  int64_t j;
  const Epilogue& epilogue;

  // Computes rows i .. i + kRows - 1.
  template <int64_t kRows, typename Prefetch>
  inline __attribute__((always_inline)) void Block(int64_t i, Prefetch prefetch) const {
    Vec<T> sums[kRows][kVectors] = {};
    BlockRows<T, kRows> rows(a, i);
    const T* right = b;
    for (int64_t k = 0; k < inner; ++k, rows.Next(), right += b_step) {
      prefetch.Fetch();
      Vec<T> row[kVectors];
#pragma GCC unroll 4
      for (int64_t v = 0; v < kVectors; ++v) row[v] = Load<T>(right + v * kLanes<T>);
#pragma GCC unroll 16
      for (int64_t r = 0; r < kRows; ++r) {
        const Vec<T> value = Broadcast<T>(rows.At(r));
#pragma GCC unroll 4
        for (int64_t v = 0; v < kVectors; ++v) sums[r][v] = Steps::Add(sums[r][v], value, row[v]);
      }
    }
#pragma GCC unroll 16
    for (int64_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
      for (int64_t v = 0; v < kVectors; ++v) epilogue(i + r, j + v * kLanes<T>, sums[r][v]);
    }
  }
  // Computes fewer than kBlockRows rows in powers of two, which keeps the number of instantiations
  // low.
  template <int64_t kPart = kBlockRows >= 8 ? 8 : 4>
  inline void Last(int64_t i, int64_t rows) const {
    if (rows >= kPart) {
      Block<kPart>(i, NoPrefetch{});
      i += kPart;
      rows -= kPart;
    }
    if constexpr (kPart > 1) Last<kPart / 2>(i, rows);
  }
};

// Prefetches the block of C at `to` into the L1 cache for writing.
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
