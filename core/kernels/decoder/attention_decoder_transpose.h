// Transpositions, and sums over rows and lanes, for the decoder's blocks. vec.h states who may
// include this.
#pragma once

#include "core/kernels/simd/math.h"
#include "core/kernels/simd/vec.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// Runs one step of a transposition by halves (Eklundh 1972) on two rows that are kWidth apart.
// Exchanges the second halves of the first row's pieces of 2 kWidth with the first halves of the
// other row's.
template <typename T, int64_t kWidth>
inline __attribute__((always_inline)) void ExchangeHalves(Vec<T>& first, Vec<T>& second) {
  using I = typename IntegerOf<T>::type;
  IntVec<T> low;
  IntVec<T> high;
#pragma GCC unroll 16
  for (int64_t i = 0; i < kLanes<T>; ++i) {
    const bool moves = (i & kWidth) != 0;
    low[i] = static_cast<I>(moves ? kLanes<T> + i - kWidth : i);
    high[i] = static_cast<I>(moves ? kLanes<T> + i : i + kWidth);
  }
  const Vec<T> from_first = first;
  first = __builtin_shuffle(from_first, second, low);
  second = __builtin_shuffle(from_first, second, high);
}

// Runs the steps of a transposition for the widths kWidth, kWidth / 2, .. 1.
template <typename T, int64_t kWidth>
inline __attribute__((always_inline)) void TransposeBy(Vec<T> (&rows)[kLanes<T>]) {
  if constexpr (kWidth > 0) {
#pragma GCC unroll 16
    for (int64_t i = 0; i < kLanes<T>; ++i) {
      if ((i & kWidth) == 0) ExchangeHalves<T, kWidth>(rows[i], rows[i + kWidth]);
    }
    TransposeBy<T, kWidth / 2>(rows);
  }
}

// Transposes a square of as many rows as lanes. Rows after `last` repeat row `last`. `from_row` and
// `to_row` are the strides of the rows.
template <typename T>
inline __attribute__((always_inline)) void TransposeTile(const T* from, int64_t from_row,
                                                         int64_t last, T* to, int64_t to_row) {
  Vec<T> rows[kLanes<T>];
#pragma GCC unroll 16
  for (int64_t i = 0; i < kLanes<T>; ++i) {
    rows[i] = Load<T>(from + (i < last ? i : last) * from_row);
  }
  TransposeBy<T, kLanes<T> / 2>(rows);
#pragma GCC unroll 16
  for (int64_t i = 0; i < kLanes<T>; ++i) Store<T>(to + i * to_row, rows[i]);
}

// Transposes rows [.., row], of which the first `width` elements (whole vectors) are used, to
// [width, kVectors * lanes]. Rows after `last` repeat row `last`.
template <int64_t kVectors, typename T>
inline void TransposeRows(const T* from, int64_t row, int64_t last, int64_t width, T* to) {
  constexpr int64_t kColumns = kVectors * kLanes<T>;
  for (int64_t j = 0; j < kColumns; j += kLanes<T>) {
    const int64_t first = j < last ? j : last;
    for (int64_t i = 0; i < width; i += kLanes<T>) {
      TransposeTile<T>(from + first * row + i, row, last - first, to + i * kColumns + j, kColumns);
    }
  }
}

// Transposes columns [width, kVectors * lanes] to [kVectors * lanes, width].
template <int64_t kVectors, typename T>
inline void TransposeColumns(const T* from, int64_t width, T* to) {
  constexpr int64_t kColumns = kVectors * kLanes<T>;
  for (int64_t j = 0; j < kColumns; j += kLanes<T>) {
    for (int64_t i = 0; i < width; i += kLanes<T>) {
      TransposeTile<T>(from + i * kColumns + j, kColumns, kLanes<T>, to + j * width + i, width);
    }
  }
}

// Sums `rows` vectors that are kRow apart. Adds row n to sum n modulo the lanes, then adds the sums
// by halves. SumOverLanes adds in the same order.
template <int64_t kRow, typename T>
inline Vec<T> SumOverRows(const T* from, int64_t rows) {
  Vec<T> sums[kLanes<T>];
#pragma GCC unroll 16
  for (int64_t i = 0; i < kLanes<T>; ++i) sums[i] = Vec<T>{};
  int64_t n = 0;
  for (; n + kLanes<T> <= rows; n += kLanes<T>) {
#pragma GCC unroll 16
    for (int64_t i = 0; i < kLanes<T>; ++i) sums[i] += Load<T>(from + (n + i) * kRow);
  }
#pragma GCC unroll 16
  for (int64_t i = 0; i < kLanes<T>; ++i) {
    if (n + i < rows) sums[i] += Load<T>(from + (n + i) * kRow);
  }
#pragma GCC unroll 4
  for (int64_t width = kLanes<T> / 2; width > 0; width /= 2) {
#pragma GCC unroll 8
    for (int64_t i = 0; i < width; ++i) sums[i] += sums[i + width];
  }
  return sums[0];
}

// Rotates the lanes of `value` down by kWidth.
template <int64_t kWidth, typename T>
inline __attribute__((always_inline)) Vec<T> MoveLanes(Vec<T> value) {
  IntVec<T> from;
#pragma GCC unroll 16
  for (int64_t i = 0; i < kLanes<T>; ++i) {
    from[i] = static_cast<typename IntegerOf<T>::type>((i + kWidth) % kLanes<T>);
  }
  return __builtin_shuffle(value, from);
}

// Returns the sum of the lanes, added by halves.
template <typename T, int64_t kWidth = kLanes<T> / 2>
inline __attribute__((always_inline)) T SumOverLanes(Vec<T> value) {
  if constexpr (kWidth == 0) {
    return value[0];
  } else {
    return SumOverLanes<T, kWidth / 2>(value + MoveLanes<kWidth, T>(value));
  }
}
// Returns the maximum in every lane.
template <typename T, int64_t kWidth = kLanes<T> / 2>
inline __attribute__((always_inline)) Vec<T> MaxOverLanes(Vec<T> value) {
  if constexpr (kWidth == 0) {
    return value;
  } else {
    return MaxOverLanes<T, kWidth / 2>(Max<T>(value, MoveLanes<kWidth, T>(value)));
  }
}

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
