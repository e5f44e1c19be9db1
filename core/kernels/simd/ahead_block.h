// A product's blocks (gemm.h) of any kind of steps (panel_product.h) that meanwhile bring what the
// next ones read closer. See vec.h for who may include this.
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
  inline __attribute__((always_inline)) void Fetch() {
    __builtin_prefetch(next, 0, 2);
    next += step;
  }
};
struct NothingAhead {
  inline __attribute__((always_inline)) void Fetch() {}
};

// kVectors vectors of C's columns from j on: `b` are theirs, a step's b_step behind the last one's.
template <typename T, typename Steps, int64_t kVectors, typename Epilogue>
struct ColumnBlocks {
  MatrixA<T> a;
  const T* b;
  int64_t b_step;
  int64_t inner;
  int64_t j;
  const Epilogue& epilogue;

  // Rows i .. i + kRows - 1.
  template <int64_t kRows, typename Fetches>
  inline __attribute__((always_inline)) void Block(int64_t i, Fetches ahead) const {
    Vec<T> sums[kRows][kVectors] = {};
    BlockRows<T, kRows> rows(a, i);
    const T* right = b;
    for (int64_t k = 0; k < inner; ++k, rows.Next(), right += b_step) {
      ahead.Fetch();
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
  // Fewer than kBlockRows rows: by powers of two, which are few to compile.
  template <int64_t kPart = kBlockRows >= 8 ? 8 : 4>
  inline void Last(int64_t i, int64_t rows) const {
    if (rows >= kPart) {
      Block<kPart>(i, NothingAhead{});
      i += kPart;
      rows -= kPart;
    }
    if constexpr (kPart > 1) Last<kPart / 2>(i, rows);
  }
};

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
