// A weight's gradient over all steps of many sequences: C += A^T B. Copies both sides into panels
// first, because rows with a stride of a power of two would fall into few sets of the L1 cache.
// Packs the wide A a few panels at a time, so that B gets more of the L2 cache and C is traversed
// less often. vec.h states who may include this.
#pragma once

#include <cstdint>

#include "core/kernels/simd/gemm.h"
#include "core/kernels/simd/prefetch_block.h"
#include "core/kernels/simd/vec.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// Number of rows packed at a time. The kind of operands, `P` (step_operands.h), may pack two rows
// into one.
inline constexpr int64_t kSequenceRows = 336;
// Number of outputs (columns of A) packed at a time.
inline constexpr int64_t kSequenceOutputs = 4 * kBlockRows;
// Maximum number of rows after packing.
template <typename P>
inline constexpr int64_t kPackedRows = kSequenceRows / P::kValuesPerElement;

// Returns the number of elements between A's panels. Copies of a row's last columns may extend
// beyond a panel's end.
template <typename T>
inline int64_t GradientPanelStride(int64_t rows) {
  return rows * kBlockRows + 2 * kLanes<T>;
}

template <typename P, typename T = typename P::Element>
inline int64_t SequenceGradientScratch(int64_t inputs) {
  constexpr int64_t kPanel = kBlockVectors * kLanes<T>;
  return kPackedRows<P> * ((inputs + kPanel - 1) / kPanel * kPanel) +
         4 * GradientPanelStride<T>(kPackedRows<P>);
}

// Adds the sums of the columns to `to` [columns].
template <typename T>
inline void AddColumnSums(const T* a, int64_t stride, int64_t rows, int64_t columns, T* to) {
  for (int64_t j = 0; j < columns; j += kLanes<T>) {
    Vec<T> sum = Load<T>(to + j);
    for (int64_t r = 0; r < rows; ++r) sum += Load<T>(a + r * stride + j);
    Store<T>(to + j, sum);
  }
}

// A gradient to compute: `c` [outputs, inputs] += a^T b with a's rows `stride` apart. Adds a's
// column sums to `bias` unless it is null.
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

// The first `columns` columns of `rows` rows of a matrix.
template <typename T>
struct MatrixPart {
  MatrixA<T> from;
  int64_t rows;
  int64_t columns;
};

// Packs rows into panels [rows / kValuesPerElement, kWidth], `stride` apart, in whole vectors. Data
// behind a row's end is undefined. May write up to a vector behind the last panel.
template <typename P, int64_t kWidth, typename T = typename P::Element>
inline void PackPart(const MatrixPart<T>& part, int64_t stride, T* to) {
  for (int64_t r = 0; r < part.rows; r += P::kValuesPerElement, to += kWidth) {
    T* at = to;
    for (int64_t i = 0; i < part.columns; i += kWidth, at += stride) {
      for (int64_t v = 0; v < kWidth && i + v < part.columns; v += kLanes<T>) {
        const MatrixA<T> from{part.from.data + r * part.from.row + i + v, part.from.row, 1};
        Store<T>(at + v, P::AlongRows(from, part.rows - r, part.columns - i - v));
      }
    }
  }
}

// Some panels of outputs: `count` columns from `first` on, of `rows` packed rows.
template <typename T>
struct GradientPanels {
  const T* a;
  const T* b;
  int64_t rows;
  int64_t first;
  int64_t count;
  const T* next;  // the beginning of the next data to pack
};

template <typename P, typename T = typename P::Element>
inline void AddPanelGradients(const SequenceGradient<T>& job, const GradientPanels<T>& p) {
  constexpr int64_t kPanel = kBlockVectors * kLanes<T>;
  constexpr int64_t kLineElements = 64 / static_cast<int64_t>(sizeof(T));
  int64_t piece = 0;  // index in the next data, kValuesPerElement per cache line
  for (int64_t i = 0; i < p.count; i += kBlockRows) {
    const MatrixA<T> block{p.a + i / kBlockRows * GradientPanelStride<T>(p.rows), 1, kBlockRows};
    const int64_t height = p.count - i < kBlockRows ? p.count - i : kBlockRows;
    for (int64_t j = 0; j < job.inputs; j += kPanel) {
      const int64_t width = job.inputs - j < kPanel ? job.inputs - j : kPanel;
      const T* const right = p.b + j * p.rows;
      const AddTo<T> add{job.c + (p.first + i) * job.inputs + j, job.inputs};
      const ColumnBlocks<T, typename P::Steps, kBlockVectors, AddTo<T>> blocks{
          block, right, kPanel, p.rows, 0, add};
      PrefetchBlock<T>(add.data, add.stride, height);
      if (width == kPanel && height == kBlockRows &&
          piece / P::kValuesPerElement * kLineElements < kSequenceOutputs) {
        const T* const next = p.next + piece / P::kValuesPerElement * kLineElements +
                              piece % P::kValuesPerElement * job.stride;
        blocks.template Block<kBlockRows>(0,
                                          Prefetcher<T>{next, P::kValuesPerElement * job.stride});
        ++piece;
      } else if (width == kPanel && height == kBlockRows) {
        blocks.template Block<kBlockRows>(0, NoPrefetch{});
      } else if (width == kPanel) {
        blocks.Last(0, height);
      } else {
        for (int64_t v = 0; v < width; v += kLanes<T>) {
          const ColumnBlocks<T, typename P::Steps, 1, AddTo<T>> column{block,  right + v, kPanel,
                                                                       p.rows, v,         add};
          if (height == kBlockRows) {
            column.template Block<kBlockRows>(0, NoPrefetch{});
          } else {
            column.Last(0, height);
          }
        }
      }
    }
  }
}

template <typename P, typename T = typename P::Element>
inline void AddSequenceGradient(const SequenceGradient<T>& job, int64_t rows) {
  constexpr int64_t kPanel = kBlockVectors * kLanes<T>;
  T* const packed_b = job.scratch;
  T* const packed_a = packed_b + kPackedRows<P> * ((job.inputs + kPanel - 1) / kPanel * kPanel);
  for (int64_t row = 0; row < rows; row += kSequenceRows) {
    const int64_t count = rows - row < kSequenceRows ? rows - row : kSequenceRows;
    const int64_t packed = (count + P::kValuesPerElement - 1) / P::kValuesPerElement;
    PackPart<P, kPanel>({{job.b + row * job.inputs, job.inputs, 1}, count, job.inputs},
                        packed * kPanel, packed_b);
    for (int64_t first = 0; first < job.outputs; first += kSequenceOutputs) {
      const int64_t left = job.outputs - first;
      const int64_t wide = left < kSequenceOutputs ? left : kSequenceOutputs;
      const T* const a = job.a + row * job.stride + first;
      PackPart<P, kBlockRows>({{a, job.stride, 1}, count, wide}, GradientPanelStride<T>(packed),
                              packed_a);
      if (job.bias != nullptr) AddColumnSums<T>(a, job.stride, count, wide, job.bias + first);
      const T* const next = left > wide ? a + wide : a;
      AddPanelGradients<P>(job, {packed_a, packed_b, packed, first, wide, next});
    }
  }
}

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
