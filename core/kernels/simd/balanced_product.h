// Products of few rows with a panel's columns. Splits the rows into blocks of nearly equal height,
// so that no block is a single row unless it is the only one. A single row would wait for its own
// sums. vec.h states who may include this.
#pragma once

#include <cstdint>

#include "core/kernels/simd/gemm.h"
#include "core/kernels/simd/panel_product.h"
#include "core/kernels/simd/panels.h"
#include "core/kernels/simd/vec.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// A left side by rows: a panel's elements (panels.h).
template <typename T>
struct ByPanelRows {
  static constexpr int64_t kRow = kPanelColumns<T>;
  static constexpr int64_t kStep = 1;
};
// A left side that is a transposed panel.
template <typename T>
struct ByPanelColumns {
  static constexpr int64_t kRow = 1;
  static constexpr int64_t kStep = kPanelColumns<T>;
};

// The operands of a product. `right` [inner, kVectors * lanes] has rows kPanelColumns<T> apart.
template <typename T>
struct BalancedProduct {
  const T* left;
  int64_t panel;  // elements between the panels of a left side by rows
  const T* right;
  int64_t rows;
  int64_t inner;
};

// Maximum number of rows of a block. Only tests use double, so more rows are not worth their code.
template <typename T>
inline constexpr int64_t kBalancedRows = sizeof(T) == 8 ? 4 : kBlockRows;

// Computes a block. Each height has its own function, because inline functions would take minutes
// to compile.
template <typename Left, int64_t kVectors, int64_t kHeight, typename T, typename Epilogue>
__attribute__((noinline)) void BalancedBlock(const BalancedProduct<T>& p, int64_t i,
                                             const Epilogue& epilogue) {
  constexpr int64_t kColumns = kPanelColumns<T>;
  Vec<T> sums[kHeight][kVectors] = {};
  const T* left = p.left + i * Left::kRow;
  if constexpr (Left::kStep == 1) {
    const T* right = p.right;
    for (int64_t k = 0; k < p.inner; k += kColumns, left += p.panel, right += kColumns * kColumns) {
      AddSteps<T, PlainSteps<T>, Left::kRow, 1>(
          left, right, kColumns, p.inner - k < kColumns ? p.inner - k : kColumns, sums);
    }
  } else {
    AddSteps<T, PlainSteps<T>, Left::kRow, Left::kStep>(left, p.right, kColumns, p.inner, sums);
  }
  epilogue(sums, i);
}

// Calls visit<height>(first row), for a height of at most kMaxHeight.
template <int64_t kMaxHeight, typename Visit>
inline __attribute__((always_inline)) void VisitHeight(int64_t height, int64_t first,
                                                       const Visit& visit) {
  if constexpr (kMaxHeight > 0) {
    if (height == kMaxHeight) return visit.template operator()<kMaxHeight>(first);
    VisitHeight<kMaxHeight - 1>(height, first, visit);
  }
}

// Calls visit<height>(first row) for blocks of nearly equal height. There must be at least one row.
template <int64_t kMaxHeight, typename Visit>
inline __attribute__((always_inline)) void ForEachBalancedBlock(int64_t count, const Visit& visit) {
  const auto rows = static_cast<uint32_t>(count);
  const uint32_t blocks = (rows + kMaxHeight - 1) / kMaxHeight;
  const uint32_t height = rows / blocks;
  const uint32_t taller = rows - height * blocks;  // blocks with one more row
  for (uint32_t n = 0, i = 0; n < blocks; ++n) {
    const uint32_t block_height = height + (n < taller ? 1 : 0);
    VisitHeight<kMaxHeight>(block_height, i, visit);
    i += block_height;
  }
}

// Calls epilogue(sums, i) for blocks of rows i .. i + kRows - 1. The epilogue may change the
// vectors of sums [kRows][kVectors]. A row's results do not depend on the other rows. There must be
// at least one row.
template <typename Left, int64_t kVectors, typename T, typename Epilogue>
inline void MultiplyBalanced(const BalancedProduct<T>& p, const Epilogue& epilogue) {
  ForEachBalancedBlock<kBalancedRows<T>>(p.rows, [&]<int64_t kHeight>(int64_t i) {
    BalancedBlock<Left, kVectors, kHeight>(p, i, epilogue);
  });
}

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
