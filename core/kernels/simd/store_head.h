// The destination of the products of attention's heads. vec.h states who may include this.
#pragma once

#include <cstdint>

#include "core/kernels/simd/panels.h"
#include "core/kernels/simd/transpose.h"
#include "core/kernels/simd/vec.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// An epilogue that stores value * factors[row] (or value * factor) into a head's columns, or adds
// it to them.
template <typename T>
struct StoreHead {
  View<T> to;
  int64_t column;
  int64_t channels;  // from `column` on
  const T* factors;  // null: `factor`
  T factor;
  bool add;  // whether to add to the columns

  template <int64_t kRows>
  inline __attribute__((always_inline)) void operator()(Vec<T> (&sums)[kRows][1], int64_t i) const {
    if (channels >= kLanes<T> && column % kLanes<T> == 0) return StoreVectors(sums, i);
    T values[kRows * kLanes<T>];
#pragma GCC unroll 32
    for (int64_t r = 0; r < kRows; ++r) {
      Store<T>(values + r * kLanes<T>, sums[r][0] * (factors != nullptr ? factors[i + r] : factor));
    }
    StoreOneByOne(values, i, kRows);
  }

 private:
  template <int64_t kRows>
  inline __attribute__((always_inline)) void StoreVectors(Vec<T> (&sums)[kRows][1],
                                                          int64_t i) const {
    T* const first = to.At(i, column);
    const int64_t row = to.row;  // members would be loaded again after each store
    const T* const rows = factors;
    const Vec<T> same = Broadcast<T>(factor);
    const bool adds = add;
#pragma GCC unroll 32
    for (int64_t r = 0; r < kRows; ++r) {
      T* const at = first + r * row;
      const Vec<T> value = sums[r][0] * (rows != nullptr ? Broadcast<T>(rows[i + r]) : same);
      Store<T>(at, adds ? Load<T>(at) + value : value);
    }
  }
  // Stores columns of a head that do not fill an aligned vector. Not inline, because copies for
  // each row of each block height would take a minute to compile and a megabyte of code.
  __attribute__((noinline)) void StoreOneByOne(const T* values, int64_t i, int64_t rows) const {
    for (int64_t r = 0; r < rows; ++r, values += kLanes<T>) {
      for (int64_t c = 0; c < kLanes<T> && c < channels; ++c) {
        T* const at = to.At(i + r, column + c);
        *at = add ? *at + values[c] : values[c];
      }
    }
  }
};

// An epilogue that stores rows with kPanelColumns elements between them, or adds to them.
template <typename T>
struct StoreTransposed {
  T* to;
  bool add;  // whether to add to the rows

  template <int64_t kRows, int64_t kVectors>
  inline __attribute__((always_inline)) void operator()(Vec<T> (&sums)[kRows][kVectors],
                                                        int64_t i) const {
#pragma GCC unroll 32
    for (int64_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
      for (int64_t v = 0; v < kVectors; ++v) {
        T* const at = to + (i + r) * kPanelColumns<T> + v * kLanes<T>;
        Store<T>(at, add ? Load<T>(at) + sums[r][v] : sums[r][v]);
      }
    }
  }
};

// Stores the first `count` columns of `from` [channels, kPanelColumns], times `factor` and
// factors[column] (null: 1), to as many rows of `to`, from its column `column` on.
template <typename T>
inline void StoreTransposedHead(const T* from, int64_t count, int64_t channels, const T* factors,
                                T factor, View<T> to, int64_t column) {
  for (int64_t i = 0; i < count; i += kLanes<T>) {
    Vec<T> times = Broadcast<T>(factor);
    if (factors != nullptr) times *= Load<T>(factors + i);
    const int64_t rows = count - i < kLanes<T> ? count - i : kLanes<T>;
    for (int64_t c = 0; c < channels; c += kLanes<T>) {
      Vec<T> square[kLanes<T>];
#pragma GCC unroll 16
      for (int64_t r = 0; r < kLanes<T>; ++r) {
        square[r] = Load<T>(from + (c + r) * kPanelColumns<T> + i) * times;
      }
      TransposeSquare<T>(square);
      if (channels - c >= kLanes<T> && column % kLanes<T> == 0) {
        for (int64_t r = 0; r < rows; ++r) Store<T>(to.At(i + r, column + c), square[r]);
        continue;
      }
      for (int64_t r = 0; r < rows; ++r) {
        for (int64_t k = 0; k < kLanes<T> && c + k < channels; ++k) {
          *to.At(i + r, column + c + k) = square[r][k];
        }
      }
    }
  }
}

// Stores `count` rows of `channels`, times `factor`, to rows of `to`, from its column `column` on.
// Rows of `from` are `from_row` apart.
template <typename T>
inline void StoreHeadRows(const T* from, int64_t from_row, int64_t count, int64_t channels,
                          T factor, View<T> to, int64_t column) {
  const bool are_vectors = channels % kLanes<T> == 0 && column % kLanes<T> == 0;
  for (int64_t r = 0; r < count; ++r, from += from_row) {
    if (are_vectors) {
      for (int64_t c = 0; c < channels; c += kLanes<T>) {
        Store<T>(to.At(r, column + c), Load<T>(from + c) * factor);
      }
    } else {
      for (int64_t c = 0; c < channels; ++c) *to.At(r, column + c) = from[c] * factor;
    }
  }
}

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
