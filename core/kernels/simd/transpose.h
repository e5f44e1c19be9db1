// Transposition in registers. vec.h states who may include this.
#pragma once

#include <cstdint>

#include "core/kernels/simd/math.h"
#include "core/kernels/simd/vec.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// Returns a0 b0 a1 b1 ... of the lower (or upper) halves of a and b.
template <typename T>
inline __attribute__((always_inline)) Vec<T> Interleave(Vec<T> a, Vec<T> b, bool upper) {
  using I = typename IntegerOf<T>::type;
  IntVec<T> from;
  for (int64_t i = 0; i < kLanes<T>; ++i) {
    from[i] = static_cast<I>((upper ? kLanes<T> / 2 : 0) + i / 2 + (i % 2) * kLanes<T>);
  }
  return __builtin_shuffle(a, b, from);
}

// Transposes a kLanes x kLanes square. Each of log2(kLanes) perfect shuffles of all rows moves one
// bit of the row's number into the column's number.
template <typename T>
inline __attribute__((always_inline)) void TransposeSquare(Vec<T> (&rows)[kLanes<T>]) {
  constexpr int64_t kHalf = kLanes<T> / 2;
#pragma GCC unroll 4
  for (int64_t bit = 1; bit < kLanes<T>; bit *= 2) {
    Vec<T> mixed[kLanes<T>];
#pragma GCC unroll 16
    for (int64_t i = 0; i < kHalf; ++i) {
      mixed[2 * i] = Interleave<T>(rows[i], rows[i + kHalf], false);
      mixed[2 * i + 1] = Interleave<T>(rows[i], rows[i + kHalf], true);
    }
#pragma GCC unroll 16
    for (int64_t i = 0; i < kLanes<T>; ++i) rows[i] = mixed[i];
  }
}

template <typename T>
inline int64_t RoundUpToLanes(int64_t count) {
  return (count + kLanes<T> - 1) / kLanes<T> * kLanes<T>;
}

// Transposes from [rows, columns], with rows `from_row` apart, to [columns, RoundUpToLanes(rows)],
// with rows `to_row` apart. Pads rows of `to` with 0.
template <typename T>
inline void TransposeTo(const T* from, int64_t from_row, int64_t rows, int64_t columns, T* to,
                        int64_t to_row) {
  for (int64_t i = 0; i < rows; i += kLanes<T>) {
    for (int64_t j = 0; j < columns; j += kLanes<T>) {
      Vec<T> square[kLanes<T>];
#pragma GCC unroll 16
      for (int64_t r = 0; r < kLanes<T>; ++r) {
        square[r] = LoadFirst<T>(from + (i + r) * from_row + j, i + r < rows ? columns - j : 0);
      }
      TransposeSquare<T>(square);
      const int64_t count = columns - j < kLanes<T> ? columns - j : kLanes<T>;
      for (int64_t c = 0; c < count; ++c) Store<T>(to + (j + c) * to_row + i, square[c]);
    }
  }
}

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
