// A weight's gradient over all steps of many sequences: C += A^T B. Against weight_gradient.h: A,
// which is wide, is packed a few panels at a time, so that B's share of the second-level cache is
// larger and C is passed over less often. See vec.h for who may include this.
#pragma once

#include <cstdint>

#include "core/kernels/simd/ahead_block.h"
#include "core/kernels/simd/gemm.h"
#include "core/kernels/simd/weight_gradient.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// What is packed at a time.
inline constexpr int64_t kSequenceRows = 336;
inline constexpr int64_t kSequenceOutputs = 4 * kBlockRows;

template <typename T>
inline int64_t SequenceGradientScratch(int64_t inputs) {
  return kSequenceRows * inputs + 4 * GradientPanelStride<T>(kSequenceRows);
}

// `c` [outputs, inputs] += a^T b; a's rows lie `stride` apart; `bias` or null += a's column sums.
template <typename T>
struct SequenceGradient {
  const T* a;
  int64_t stride;
  int64_t outputs;
  const T* b;
  int64_t inputs;
  T* c;
  T* bias;
  T* scratch;
};

// Some panels of outputs, of `rows` packed rows, `count` columns from `first` on.
template <typename T>
struct GradientPanels {
  const T* a;
  const T* b;
  int64_t rows;
  int64_t first;
  int64_t count;
  const T* next;  // what is packed after them begins here
};

template <typename T>
inline void AddPanelGradients(const SequenceGradient<T>& job, const GradientPanels<T>& p) {
  constexpr int64_t kPanel = kBlockVectors * kLanes<T>;
  constexpr int64_t kLine = 64 / static_cast<int64_t>(sizeof(T));
  int64_t line = 0;
  for (int64_t i = 0; i < p.count; i += kBlockRows) {
    const MatrixA<T> block{p.a + i / kBlockRows * GradientPanelStride<T>(p.rows), 1, kBlockRows};
    const int64_t height = p.count - i < kBlockRows ? p.count - i : kBlockRows;
    for (int64_t j = 0; j < job.inputs; j += kPanel) {
      const int64_t width = job.inputs - j < kPanel ? job.inputs - j : kPanel;
      const T* const right = p.b + j * p.rows;
      const AddTo<T> add{job.c + (p.first + i) * job.inputs + j, job.inputs};
      PrefetchBlock<T>(add.data, add.stride, height);
      if (width == kPanel && height == kBlockRows && line < kSequenceOutputs) {
        const Ahead<T> ahead{p.next + line, job.stride};
        BlockWithAhead<T, kBlockRows>(block, right, p.rows, ahead, 0, 0, add);
        line += kLine;
      } else if (width == kPanel && height == kBlockRows) {
        Block<T, kBlockRows, kBlockVectors>(block, right, kPanel, p.rows, 0, 0, add);
      } else if (width == kPanel) {
        LastRows<T, kBlockRows - 1, kBlockVectors>(block, right, kPanel, p.rows, 0, height, 0, add);
      } else {
        for (int64_t v = 0; v < width; v += kLanes<T>) {
          LastRows<T, kBlockRows, 1>(block, right + v, width, p.rows, 0, height, v, add);
        }
      }
    }
  }
}

template <typename T>
inline void AddSequenceGradient(const SequenceGradient<T>& job, int64_t rows) {
  T* const packed_b = job.scratch;
  T* const packed_a = job.scratch + kSequenceRows * job.inputs;
  for (int64_t row = 0; row < rows; row += kSequenceRows) {
    const int64_t count = rows - row < kSequenceRows ? rows - row : kSequenceRows;
    PackInputs<T>({job.b + row * job.inputs, job.inputs}, count, job.inputs, packed_b);
    for (int64_t first = 0; first < job.outputs; first += kSequenceOutputs) {
      const int64_t left = job.outputs - first;
      const int64_t wide = left < kSequenceOutputs ? left : kSequenceOutputs;
      const T* const a = job.a + row * job.stride + first;
      PackOutputs<T>(a, job.stride, count, wide, packed_a);
      if (job.bias != nullptr) AddColumnSums<T>(a, job.stride, count, wide, job.bias + first);
      const T* const next = left > wide ? a + wide : a;
      AddPanelGradients<T>(job, {packed_a, packed_b, count, first, wide, next});
    }
  }
}

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
