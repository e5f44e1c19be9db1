// A weight's gradient: C += A^T B over many rows. Copies both sides into panels first, a chunk of
// rows at a time: rows with a stride of a power of two would fall into few sets of the L1 cache.
// vec.h states who may include this.
#pragma once

#include <cstdint>

#include "core/kernels/simd/gemm.h"
#include "core/kernels/simd/math.h"
#include "core/kernels/simd/vec.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// Rows of a chunk: both packed sides stay in the L2 cache.
inline constexpr int64_t kGradientRows = 192;

// Elements between A's panels: copies of a row's last columns may extend beyond a panel's end.
template <typename T>
inline int64_t GradientPanelStride(int64_t rows) {
  return rows * kBlockRows + 2 * kLanes<T>;
}
// Returns the size of AddWeightGradient's memory for weights [outputs, inputs].
template <typename T>
inline int64_t WeightGradientScratch(int64_t outputs, int64_t inputs) {
  const int64_t panels = (outputs + kBlockRows - 1) / kBlockRows;
  return panels * GradientPanelStride<T>(kGradientRows) + kGradientRows * inputs;
}

// The right side [rows, inputs], each value scaled and shifted by its column's scale and shift if
// given.
template <typename T>
struct GradientInput {
  const T* data;
  int64_t stride;
  const T* scale = nullptr;
  const T* shift = nullptr;
};

template <typename T>
inline void PackOutputs(const T* a, int64_t stride, int64_t rows, int64_t outputs, T* to) {
  const int64_t panel = GradientPanelStride<T>(rows);
  for (int64_t r = 0; r < rows; ++r) {
    T* at = to + r * kBlockRows;
    for (int64_t i = 0; i < outputs; i += kBlockRows, at += panel) {
      for (int64_t v = 0; v < kBlockRows; v += kLanes<T>) {
        const int64_t left = outputs - i - v;
        const T* const from = a + r * stride + i + v;
        Store<T>(at + v, left >= kLanes<T> ? Load<T>(from) : LoadFirst<T>(from, left));
      }
    }
  }
}

template <typename T>
inline void PackInputs(const GradientInput<T>& b, int64_t rows, int64_t inputs, T* to) {
  constexpr int64_t kPanel = kBlockVectors * kLanes<T>;
  for (int64_t first = 0; first < inputs; first += kPanel) {
    const int64_t width = inputs - first < kPanel ? inputs - first : kPanel;
    for (int64_t j = 0; j < width; j += kLanes<T>) {
      const T* const from = b.data + first + j;
      T* const at = to + first * rows + j;
      if (b.scale == nullptr) {
        for (int64_t r = 0; r < rows; ++r) Store<T>(at + r * width, Load<T>(from + r * b.stride));
      } else {
        const Vec<T> scale = Load<T>(b.scale + first + j);
        const Vec<T> shift = Load<T>(b.shift + first + j);
        for (int64_t r = 0; r < rows; ++r) {
          Store<T>(at + r * width, Load<T>(from + r * b.stride) * scale + shift);
        }
      }
    }
  }
}

// Computes `c` [outputs, inputs] += a^T b with a [rows, outputs], b [rows, inputs] (at most
// kGradientRows rows).
template <typename T>
inline void AddChunkGradient(const T* a, int64_t a_stride, const GradientInput<T>& b, int64_t rows,
                             int64_t outputs, int64_t inputs, T* c, T* scratch) {
  constexpr int64_t kPanel = kBlockVectors * kLanes<T>;
  const int64_t panel = GradientPanelStride<T>(rows);
  T* const packed_b = scratch;
  T* const packed_a = scratch + rows * inputs;
  PackInputs<T>(b, rows, inputs, packed_b);
  PackOutputs<T>(a, a_stride, rows, outputs, packed_a);
  for (int64_t i = 0; i < outputs; i += kBlockRows) {
    const MatrixA<T> block{packed_a + i / kBlockRows * panel, 1, kBlockRows};
    const int64_t height = outputs - i < kBlockRows ? outputs - i : kBlockRows;
    for (int64_t j = 0; j < inputs; j += kPanel) {
      const int64_t width = inputs - j < kPanel ? inputs - j : kPanel;
      const T* const right = packed_b + j * rows;
      T* const to = c + i * inputs + j;
      for (int64_t r = 0; r < height; ++r) {
        __builtin_prefetch(to + r * inputs, 1);
        __builtin_prefetch(to + r * inputs + kLanes<T>, 1);
      }
      const AddTo<T> add{to, inputs};
      if (width == kPanel && height == kBlockRows) {
        Block<T, kBlockRows, kBlockVectors>(block, right, kPanel, rows, 0, 0, add);
      } else if (width == kPanel) {
        LastRows<T, kBlockRows - 1, kBlockVectors>(block, right, kPanel, rows, 0, height, 0, add);
      } else {
        for (int64_t v = 0; v < width; v += kLanes<T>) {
          LastRows<T, kBlockRows, 1>(block, right + v, width, rows, 0, height, v, add);
        }
      }
    }
  }
}

// Adds the columns' sums to `to` [columns].
template <typename T>
inline void AddColumnSums(const T* a, int64_t stride, int64_t rows, int64_t columns, T* to) {
  for (int64_t j = 0; j < columns; j += kLanes<T>) {
    Vec<T> sum = Load<T>(to + j);
    for (int64_t r = 0; r < rows; ++r) sum += Load<T>(a + r * stride + j);
    Store<T>(to + j, sum);
  }
}

// Computes the gradients of a linear layer: `weights` [outputs, inputs] += a^T b, and adds the sums
// of a's columns to `bias` [outputs] unless it is null.
template <typename T>
inline void AddWeightGradient(const T* a, int64_t outputs, const GradientInput<T>& b,
                              int64_t inputs, int64_t rows, T* weights, T* bias, T* scratch) {
  if (bias != nullptr) AddColumnSums<T>(a, outputs, rows, outputs, bias);
  for (int64_t first = 0; first < rows; first += kGradientRows) {
    const int64_t count = rows - first < kGradientRows ? rows - first : kGradientRows;
    GradientInput<T> chunk = b;
    chunk.data += first * b.stride;
    AddChunkGradient<T>(a + first * outputs, outputs, chunk, count, outputs, inputs, weights,
                        scratch);
  }
}

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
