// Products with weights that are about as large as the second-level cache, of a few rows (a step of
// an LSTM) or many. See vec.h for who may include this.
#pragma once

#include <cstdint>

#include "core/kernels/simd/ahead_block.h"
#include "core/kernels/simd/gemm.h"
#include "core/kernels/simd/vec.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// Rows that pass over the weights together.
inline constexpr int64_t kStepRows = 96;

// C = A B with packed B.
template <typename T>
struct StepProduct {
  MatrixA<T> a;
  const T* packed;
  int64_t rows;
  int64_t inner;
  int64_t columns;
};

// An ending of a product (epilogue.h): C = sums + bias.
template <typename T>
struct StoreBiased {
  T* data;
  int64_t stride;
  const T* bias;
  inline __attribute__((always_inline)) void operator()(int64_t i, int64_t j, Vec<T> value) const {
    Store<T>(data + i * stride + j, value + Load<T>(bias + j));
  }
};

// Rows first .. last - 1 of the panel that begins at column j, while `next` comes closer.
template <typename T, typename Epilogue>
inline void StepPanel(const StepProduct<T>& p, int64_t first, int64_t last, int64_t j,
                      const T* next, const Epilogue& epilogue) {
  constexpr int64_t kPanel = kBlockVectors * kLanes<T>;
  constexpr int64_t kLine = 64 / static_cast<int64_t>(sizeof(T));
  const T* const panel = p.packed + j * p.inner;
  int64_t i = first;
  for (int64_t line = 0; i + kBlockRows <= last; i += kBlockRows, line += kLine) {
    PrefetchBlock<T>(epilogue.data + i * epilogue.stride + j, epilogue.stride, kBlockRows);
    if (line < kPanel) {
      BlockWithAhead<T, kBlockRows>(p.a, panel, p.inner, {next + line, kPanel}, i, j, epilogue);
    } else {
      Block<T, kBlockRows, kBlockVectors>(p.a, panel, kPanel, p.inner, i, j, epilogue);
    }
  }
  LastRows<T, kBlockRows - 1, kBlockVectors>(p.a, panel, kPanel, p.inner, i, last - i, j, epilogue);
}

// `from_last` begins with the last columns. Turning from pass to pass finds in the cache what the
// pass before used last.
template <typename T, typename Epilogue>
inline void MultiplySteps(const StepProduct<T>& p, bool from_last, const Epilogue& epilogue) {
  constexpr int64_t kPanel = kBlockVectors * kLanes<T>;
  if (p.columns % kPanel != 0) {
    Multiply<T>(p.a, {p.packed, 0, true}, p.rows, p.inner, p.columns, epilogue);
    return;
  }
  const int64_t panels = p.columns / kPanel;
  for (int64_t first = 0; first < p.rows; first += kStepRows, from_last = !from_last) {
    const int64_t last = p.rows - first < kStepRows ? p.rows : first + kStepRows;
    for (int64_t n = 0; n < panels; ++n) {
      const int64_t at = from_last ? panels - 1 - n : n;
      const int64_t after = n + 1 == panels ? at : at + (from_last ? -1 : 1);
      StepPanel<T>(p, first, last, at * kPanel, p.packed + after * kPanel * p.inner, epilogue);
    }
  }
}

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
