// Dense products C = A B of small and medium sizes on one thread. An epilogue (bias, activation,
// accumulation) works on the registers that hold the result. vec.h states who may include this.
//
// The micro-kernel is the usual outer product (Goto and van de Geijn 2008). A block of C stays in
// registers over the whole inner dimension. Each block reads a panel of B, which is contiguous if B
// is packed. A row's results do not depend on the other rows of A, so a batch may be split
// anywhere.
#pragma once

#include <cstdint>

#include "core/kernels/simd/epilogue.h"
#include "core/kernels/simd/vec.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// Rows and vectors of a block of C. The block takes 24 of AVX-512's 32 registers, or 12 of AVX2's
// 16.
inline constexpr int64_t kBlockRows = VRP_SIMD_BYTES == 64 ? 12 : 6;
inline constexpr int64_t kBlockVectors = 2;

// A matrix whose element (i, k) is data[i * row + k * column]: column = 1 for rows, row = 1 for the
// transpose.
template <typename T>
struct MatrixA {
  const T* data;
  int64_t row;
  int64_t column;
};

// B in PackB's layout (pack_b.h): panels of `kBlockVectors * kLanes<T>` columns, [panels, K, panel
// columns]. With packed = false, B is row-major [K, N] with `stride` elements between rows. N is a
// multiple of kLanes<T> (padded with zeros).
template <typename T>
struct MatrixB {
  const T* data;
  int64_t stride;
  bool packed;  // whether `data` is in PackB's layout
};

// Addresses of a block's rows at step k. One pointer serves three rows (base, base + row and base +
// 2 row), so that the inner loop keeps all pointers in registers.
template <typename T, int64_t kRows>
struct BlockRows {
  static constexpr int64_t kBases = (kRows + 2) / 3;
  const char* bases[kBases];
  int64_t row_bytes;
  int64_t column_bytes;

  inline __attribute__((always_inline)) BlockRows(MatrixA<T> a, int64_t first)
      : row_bytes(a.row * static_cast<int64_t>(sizeof(T))),
        column_bytes(a.column * static_cast<int64_t>(sizeof(T))) {
#pragma GCC unroll 16
    for (int64_t g = 0; g < kBases; ++g) {
      bases[g] = reinterpret_cast<const char*>(a.data + (first + 3 * g) * a.row);
      __asm__("" : "+r"(bases[g]));  // keeps GCC from deriving all from the first in more registers
    }
  }
  inline __attribute__((always_inline)) T At(int64_t r) const {
    return *reinterpret_cast<const T*>(bases[r / 3] + (r % 3) * row_bytes);
  }
  inline __attribute__((always_inline)) void Next() {
#pragma GCC unroll 16
    for (int64_t g = 0; g < kBases; ++g) bases[g] += column_bytes;
  }
};

template <typename T, int64_t kRows, int64_t kVectors, typename Epilogue>
inline __attribute__((always_inline)) void Block(MatrixA<T> a, const T* b, int64_t b_stride,
                                                 int64_t inner, int64_t i, int64_t j,
                                                 const Epilogue& epilogue) {
  Vec<T> sums[kRows][kVectors] = {};
  BlockRows<T, kRows> rows(a, i);
  for (int64_t k = 0; k < inner; ++k, rows.Next(), b += b_stride) {
    Vec<T> row[kVectors];
#pragma GCC unroll 4
    for (int64_t v = 0; v < kVectors; ++v) row[v] = Load<T>(b + v * kLanes<T>);
#pragma GCC unroll 16
    for (int64_t r = 0; r < kRows; ++r) {
      const Vec<T> value = Broadcast<T>(rows.At(r));
#pragma GCC unroll 4
      for (int64_t v = 0; v < kVectors; ++v) sums[r][v] += value * row[v];
    }
  }
#pragma GCC unroll 16
  for (int64_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int64_t v = 0; v < kVectors; ++v) epilogue(i + r, j + v * kLanes<T>, sums[r][v]);
  }
}

// Computes the remaining rows, at most `kRows`, in powers of two, which keeps the number of
// instantiations low.
template <typename T, int64_t kRows, int64_t kVectors, typename Epilogue>
inline void LastRows(MatrixA<T> a, const T* b, int64_t b_stride, int64_t inner, int64_t i,
                     int64_t rows, int64_t j, const Epilogue& epilogue) {
  if constexpr (kRows > 0) {
    constexpr int64_t kPart = kRows >= 16  ? 16
                              : kRows >= 8 ? 8
                              : kRows >= 4 ? 4
                              : kRows >= 2 ? 2
                                           : 1;
    if (rows >= kPart) {
      Block<T, kPart, kVectors>(a, b, b_stride, inner, i, j, epilogue);
      i += kPart;
      rows -= kPart;
    }
    LastRows<T, kPart - 1, kVectors>(a, b, b_stride, inner, i, rows, j, epilogue);
  }
}

template <typename T, int64_t kVectors, typename Epilogue>
inline void Panel(MatrixA<T> a, const T* b, int64_t b_stride, int64_t rows, int64_t inner,
                  int64_t j, const Epilogue& epilogue) {
  int64_t i = 0;
  for (; i + kBlockRows <= rows; i += kBlockRows) {
    Block<T, kBlockRows, kVectors>(a, b, b_stride, inner, i, j, epilogue);
  }
  LastRows<T, kBlockRows - 1, kVectors>(a, b, b_stride, inner, i, rows - i, j, epilogue);
}

// Computes C [rows, columns] from A [rows, inner] and B [inner, columns]. Calls `epilogue` once for
// each vector of C, in an unspecified order.
template <typename T, typename Epilogue>
inline void Multiply(MatrixA<T> a, MatrixB<T> b, int64_t rows, int64_t inner, int64_t columns,
                     const Epilogue& epilogue) {
  constexpr int64_t kPanel = kBlockVectors * kLanes<T>;
  int64_t j = 0;
  for (; j + kPanel <= columns; j += kPanel) {
    const T* const panel = b.packed ? b.data + j * inner : b.data + j;
    Panel<T, kBlockVectors>(a, panel, b.packed ? kPanel : b.stride, rows, inner, j, epilogue);
  }
  for (; j + kLanes<T> <= columns; j += kLanes<T>) {
    const int64_t width = columns % kPanel;  // the last panel is packed without a gap
    const T* const panel =
        b.packed ? b.data + (columns - width) * inner + (j - (columns - width)) : b.data + j;
    Panel<T, 1>(a, panel, b.packed ? width : b.stride, rows, inner, j, epilogue);
  }
}

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
