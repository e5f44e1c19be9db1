// A weight's gradient, C += A^T B over many rows, of matrices in panels (panels.h), without
// packing. vec.h states who may include this.
#pragma once

#include <cstdint>

#include "core/kernels/simd/panel_product.h"
#include "core/kernels/simd/panels.h"
#include "core/kernels/simd/vec.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// Number of rows of a chunk, for which a panel of either side stays in the L1 cache.
inline constexpr int64_t kChunkRows = 128;

// An epilogue that adds value * scale[input] + sums[output] * shift[input] to `to` [outputs,
// inputs]. The sum is the gradient if the right side was normalised, then scaled and shifted per
// channel. Without `scale`, adds only the value. `sums` are those of the left side's columns (null:
// none).
template <typename T>
struct AddGradientTo {
  T* to;
  int64_t stride;
  const T* scale = nullptr;
  const T* shift = nullptr;
  const T* sums = nullptr;
  inline __attribute__((always_inline)) AddGradientTo At(int64_t i, int64_t j) const {
    return {to + i * stride + j, stride, scale == nullptr ? nullptr : scale + j,
            shift == nullptr ? nullptr : shift + j, sums == nullptr ? nullptr : sums + i};
  }
  inline __attribute__((always_inline)) void operator()(int64_t i, int64_t j, Vec<T> value) const {
    if (scale != nullptr) {
      value *= Load<T>(scale + j);
      if (sums != nullptr) value += sums[i] * Load<T>(shift + j);
    }
    T* const at = to + i * stride + j;
    Store<T>(at, Load<T>(at) + value);
  }
};

template <typename T, typename Steps, int64_t kRows, int64_t kVectors>
inline __attribute__((always_inline)) void GradientBlock(const T* a, const T* b, int64_t rows,
                                                         int64_t i, int64_t j,
                                                         const AddGradientTo<T>& add) {
  constexpr int64_t kColumns = kPanelColumns<T>;
  for (int64_t r = 0; r < kRows; ++r) {
    for (int64_t v = 0; v < kVectors; ++v) {
      __builtin_prefetch(add.to + (i + r) * add.stride + j + v * kLanes<T>, 1);
    }
  }
  Vec<T> sums[kRows][kVectors] = {};
  // Unrolling makes this product 6 % faster, but slows down the other products.
#pragma GCC unroll 4
  for (int64_t k = 0; k < rows; ++k) AddStep<T, Steps, 1>(a + k * kColumns, b + k * kColumns, sums);
  Finish<T>(sums, i, j, add);
}

// Computes a panel's outputs in blocks of equal height, except the last: 11, 11 and 10 of 32 with
// AVX-512 in float. Computes the outputs of a narrower panel that fill no block one at a time.
template <typename T, typename Steps, int64_t kVectors>
inline void GradientPanel(const T* a, const T* b, int64_t rows, int64_t outputs, int64_t i,
                          int64_t j, const AddGradientTo<T>& add) {
  constexpr int64_t kColumns = kPanelColumns<T>;
  constexpr int64_t kBlocks = (kColumns + kBlockRows - 1) / kBlockRows;
  constexpr int64_t kHeight = (kColumns + kBlocks - 1) / kBlocks;
  constexpr int64_t kLast = kColumns - (kBlocks - 1) * kHeight;
  int64_t r = 0;
  for (; r + kHeight <= outputs; r += kHeight) {
    GradientBlock<T, Steps, kHeight, kVectors>(a + r, b, rows, i + r, j, add);
  }
  if (outputs - r == kLast) {
    GradientBlock<T, Steps, kLast, kVectors>(a + r, b, rows, i + r, j, add);
    return;
  }
  for (; r < outputs; ++r) GradientBlock<T, Steps, 1, kVectors>(a + r, b, rows, i + r, j, add);
}

// The sizes of a gradient [outputs, inputs], summed over `rows`.
struct GradientSize {
  int64_t rows;
  int64_t outputs;
  int64_t inputs;
  // Number of last rows that may be one chunk. With few rows in total, a short last chunk would
  // spend its time on loading and storing the gradient.
  int64_t last_chunk = kChunkRows;
};

// Calls `add` with the values of a^T b, for a [rows, outputs] and b [rows, inputs], both in panels.
template <typename T, typename Steps = PlainSteps<T>>
inline void AddPanelGradient(View<const T> a, View<const T> b, const GradientSize& size,
                             AddGradientTo<T> add) {
  constexpr int64_t kColumns = kPanelColumns<T>;
  int64_t rows = 0;
  for (int64_t first = 0; first < size.rows; first += rows) {
    const int64_t remaining = size.rows - first;
    rows = remaining <= size.last_chunk ? remaining : kChunkRows;
    for (int64_t i = 0; i < size.outputs; i += kColumns) {
      const T* const left = a.At(first, i);
      const int64_t outputs = size.outputs - i < kColumns ? size.outputs - i : kColumns;
      for (int64_t j = 0; j < size.inputs; j += kColumns) {
        const T* const right = b.At(first, j);
        if (size.inputs - j >= kColumns) {
          GradientPanel<T, Steps, kBlockVectors>(left, right, rows, outputs, i, j, add);
        } else {
          for (int64_t v = 0; v < size.inputs - j; v += kLanes<T>) {
            GradientPanel<T, Steps, 1>(left, right + v, rows, outputs, i, j + v, add);
          }
        }
      }
    }
    add.sums = nullptr;  // of all rows; added with the first chunk
  }
}

// Computes the `sums` [columns] of a's columns. Adds them to `to` [columns] unless `to` is null.
template <typename T>
inline void SumColumns(View<const T> a, int64_t rows, int64_t columns, T* sums, T* to) {
  for (int64_t j = 0; j < columns; j += kLanes<T>) {
    const T* const from = a.At(0, j);
    Vec<T> sum{};
    for (int64_t r = 0; r < rows; ++r) sum += Load<T>(from + r * a.row);
    Store<T>(sums + j, sum);
    if (to != nullptr) Store<T>(to + j, Load<T>(to + j) + sum);
  }
}

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
