// Products of few rows (a step of an LSTM) or many rows, with weights about as large as the L2
// cache. vec.h states who may include this.
#pragma once

#include <cstdint>

#include "core/kernels/simd/gemm.h"
#include "core/kernels/simd/prefetch_block.h"
#include "core/kernels/simd/vec.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// Number of rows that traverse the weights together.
inline constexpr int64_t kStepRows = 96;

// A product C = A B with a packed B (PackWeights in step_weights.h).
template <typename T>
struct StepProduct {
  MatrixA<T> a;
  const T* packed;
  int64_t rows;
  int64_t inner;
  int64_t columns;
};

// An epilogue (epilogue.h) that stores C = sums + bias.
template <typename T>
struct StoreBiased {
  T* data;
  int64_t stride;
  const T* bias;
  inline __attribute__((always_inline)) StoreBiased At(int64_t i, int64_t j) const {
    return {data + i * stride + j, stride, bias + j};
  }
  inline __attribute__((always_inline)) void operator()(int64_t i, int64_t j, Vec<T> value) const {
    Store<T>(data + i * stride + j, value + Load<T>(bias + j));
  }
};

// Rows first .. last - 1 of a product.
struct StepRange {
  int64_t first;
  int64_t last;
};

// Computes the panel at column j and prefetches `next`.
template <typename T, typename Steps, typename Epilogue>
inline void StepPanel(const StepProduct<T>& p, StepRange range, int64_t j, const T* next,
                      const Epilogue& epilogue) {
  constexpr int64_t kPanel = kBlockVectors * kLanes<T>;
  constexpr int64_t kLineElements = 64 / static_cast<int64_t>(sizeof(T));
  const ColumnBlocks<T, Steps, kBlockVectors, Epilogue> blocks{
      p.a, p.packed + j * p.inner, kPanel, p.inner, j, epilogue};
  int64_t i = range.first;
  for (int64_t line = 0; i + kBlockRows <= range.last; i += kBlockRows, line += kLineElements) {
    PrefetchBlock<T>(epilogue.data + i * epilogue.stride + j, epilogue.stride, kBlockRows);
    if (line < kPanel) {
      blocks.template Block<kBlockRows>(i, Prefetcher<T>{next + line, kPanel});
    } else {
      blocks.template Block<kBlockRows>(i, NoPrefetch{});
    }
  }
  blocks.Last(i, range.last - i);
}

// Computes the columns beyond whole panels, which are packed without a gap.
template <typename T, typename Steps, typename Epilogue>
inline void LastStepColumns(const StepProduct<T>& p, const Epilogue& epilogue) {
  constexpr int64_t kPanel = kBlockVectors * kLanes<T>;
  const int64_t width = p.columns % kPanel;
  const int64_t j = p.columns - width;
  for (int64_t v = 0; v < width; v += kLanes<T>) {
    const ColumnBlocks<T, Steps, 1, Epilogue> blocks{
        p.a, p.packed + j * p.inner + v, width, p.inner, j + v, epilogue};
    int64_t i = 0;
    for (; i + kBlockRows <= p.rows; i += kBlockRows) {
      blocks.template Block<kBlockRows>(i, NoPrefetch{});
    }
    blocks.Last(i, p.rows - i);
  }
}

// Computes a product. With `from_last`, begins with the last whole panel. If callers alternate
// `from_last` from pass to pass, the columns used last are still in the cache.
template <typename T, typename Steps, typename Epilogue>
inline void MultiplySteps(const StepProduct<T>& p, bool from_last, const Epilogue& epilogue) {
  constexpr int64_t kPanel = kBlockVectors * kLanes<T>;
  const int64_t panels = p.columns / kPanel;
  for (int64_t first = 0; first < p.rows; first += kStepRows, from_last = !from_last) {
    const int64_t last = p.rows - first < kStepRows ? p.rows : first + kStepRows;
    for (int64_t n = 0; n < panels; ++n) {
      const int64_t at = from_last ? panels - 1 - n : n;
      const int64_t after = n + 1 == panels ? at : at + (from_last ? -1 : 1);
      StepPanel<T, Steps>(p, {first, last}, at * kPanel, p.packed + after * kPanel * p.inner,
                          epilogue);
    }
  }
  if (p.columns % kPanel != 0) LastStepColumns<T, Steps>(p, epilogue);
}

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
