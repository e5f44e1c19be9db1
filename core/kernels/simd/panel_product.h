// Products of matrices in panels (panels.h) with packed matrices (gemm.h). vec.h states who may
// include this.
#pragma once

#include <cstdint>

#include "core/kernels/simd/panels.h"
#include "core/kernels/simd/vec.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// The kind of a product's steps. bf16_products.h has another kind, whose elements are pairs.
template <typename T>
struct PlainSteps {
  static constexpr int64_t kLeftColumns = kPanelColumns<T>;  // width of the left side's panels
  static inline __attribute__((always_inline)) Vec<T> Add(Vec<T> sum, Vec<T> a, Vec<T> b) {
    return sum + a * b;
  }
};

// Adds one step's outer product to the sums. Elements of the left side are kRow apart.
template <typename T, typename Steps, int64_t kRow, int64_t kRows, int64_t kVectors>
inline __attribute__((always_inline)) void AddStep(const T* a, const T* b,
                                                   Vec<T> (&sums)[kRows][kVectors]) {
  Vec<T> row[kVectors];
#pragma GCC unroll 4
  for (int64_t v = 0; v < kVectors; ++v) row[v] = Load<T>(b + v * kLanes<T>);
#pragma GCC unroll 32
  for (int64_t r = 0; r < kRows; ++r) {
    const Vec<T> value = Broadcast<T>(a[r * kRow]);
#pragma GCC unroll 4
    for (int64_t v = 0; v < kVectors; ++v) sums[r][v] = Steps::Add(sums[r][v], value, row[v]);
  }
}

// Adds `count` steps, with strides kStep on the left side and b_step on the right.
template <typename T, typename Steps, int64_t kRow, int64_t kStep, int64_t kRows, int64_t kVectors>
inline __attribute__((always_inline)) void AddSteps(const T* a, const T* b, int64_t b_step,
                                                    int64_t count,
                                                    Vec<T> (&sums)[kRows][kVectors]) {
#pragma GCC unroll 1
  for (int64_t k = 0; k < count; ++k, a += kStep, b += b_step) {
    AddStep<T, Steps, kRow>(a, b, sums);
  }
}

template <typename T, int64_t kRows, int64_t kVectors, typename Epilogue>
inline __attribute__((always_inline)) void Finish(const Vec<T> (&sums)[kRows][kVectors], int64_t i,
                                                  int64_t j, const Epilogue& epilogue) {
  const Epilogue at = epilogue.At(i, j);
#pragma GCC unroll 32
  for (int64_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int64_t v = 0; v < kVectors; ++v) at(r, v * kLanes<T>, sums[r][v]);
  }
}

// Sizes of a product. The right side has rows first .. first + inner - 1 of a matrix of `depth`
// rows, packed by PackB.
struct PanelProduct {
  int64_t rows;
  int64_t inner;
  int64_t columns;
  int64_t depth;
  int64_t first = 0;
};

// The product of all rows with a panel of B.
template <typename T, typename Steps, int64_t kVectors, typename Epilogue>
struct PanelRows {
  View<const T> a;  // in panels
  const T* b;
  int64_t b_step;
  int64_t inner;
  int64_t j;
  const Epilogue& epilogue;

  template <int64_t kRows>
  inline __attribute__((always_inline)) void Block(int64_t i) const {
    constexpr int64_t kColumns = Steps::kLeftColumns;
    Vec<T> sums[kRows][kVectors] = {};
    const T* left = a.data + i * kColumns;
    const T* right = b;
    for (int64_t k = 0; k < inner; k += kColumns, left += a.panel, right += kColumns * b_step) {
      AddSteps<T, Steps, kColumns, 1>(left, right, b_step,
                                      inner - k < kColumns ? inner - k : kColumns, sums);
    }
    Finish<T>(sums, i, j, epilogue);
  }
  // Handles rows in powers of two, which keeps the number of instantiations low.
  template <int64_t kPart>
  inline void Last(int64_t i, int64_t rows) const {
    if (rows >= kPart) {
      Block<kPart>(i);
      i += kPart;
      rows -= kPart;
    }
    if constexpr (kPart > 1) Last<kPart / 2>(i, rows);
  }
  // Ends with blocks that have one row less, if no row is left over then: blocks of few rows wait
  // for their sums.
  inline void All(int64_t rows) const {
    const int64_t lower = (kBlockRows - rows % kBlockRows) % kBlockRows;
    const bool fits = rows >= lower * (kBlockRows - 1);
    const int64_t end = fits ? rows - lower * (kBlockRows - 1) : rows;
    int64_t i = 0;
    for (; i + kBlockRows <= end; i += kBlockRows) Block<kBlockRows>(i);
    if (!fits) return Last < kBlockRows >= 8 ? 8 : 4 > (i, rows - i);
    for (; i < rows; i += kBlockRows - 1) Block<kBlockRows - 1>(i);
  }
};

// Computes C [rows, columns] from A [rows, inner], in panels, and a packed B. Calls `epilogue` once
// for each vector of C. A row's results do not depend on the other rows.
template <typename T, typename Steps = PlainSteps<T>, typename Epilogue>
inline void MultiplyPanels(View<const T> a, const T* packed, const PanelProduct& size,
                           const Epilogue& epilogue) {
  constexpr int64_t kColumns = kPanelColumns<T>;
  int64_t j = 0;
  for (; j + kColumns <= size.columns; j += kColumns) {
    PanelRows<T, Steps, kBlockVectors, Epilogue>{
        a, packed + j * size.depth + size.first * kColumns, kColumns, size.inner, j, epilogue}
        .All(size.rows);
  }
  const int64_t width = size.columns - j;  // the last panel is packed without a gap
  const T* const last = packed + j * size.depth + size.first * width;
  for (int64_t v = 0; v < width; v += kLanes<T>) {
    PanelRows<T, Steps, 1, Epilogue>{a, last + v, width, size.inner, j + v, epilogue}.All(
        size.rows);
  }
}

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
