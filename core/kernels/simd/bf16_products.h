// The encoder's products in bf16 with sums in float. Weights are rounded when they are packed, and
// rows when they enter a product. A pair of bf16 numbers replaces one float of plain_products.h, so
// blocks and panels are the same with half the inner dimension. bf16.h states who may include this.
#pragma once

#include <cstdint>

#include "core/kernels/simd/bf16.h"
#include "core/kernels/simd/panel_gradient.h"
#include "core/kernels/simd/panel_product.h"
#include "core/kernels/simd/panels.h"
#include "core/kernels/simd/transpose.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// Steps over pairs of a row's neighbours on the left side. A panel's row has half as many elements.
struct PairSteps {
  static constexpr int64_t kLeftColumns = kPanelColumns<float> / 2;
  static inline __attribute__((always_inline)) Vec<float> Add(Vec<float> sum, Vec<float> a,
                                                              Vec<float> b) {
    return AddPairs(sum, a, b);
  }
};

// Products in bf16. Inner dimensions are multiples of 16.
struct Bf16Products {
  using Element = float;
  static constexpr int64_t kColumns = kPanelColumns<float>;

  static int64_t PackedSize(int64_t inner, int64_t columns) { return inner / 2 * columns; }
  // Packs `b`, whose columns or rows are contiguous: b.row or b.column is 1.
  static void Pack(MatrixA<float> b, int64_t inner, int64_t columns, float* to) {
    for (int64_t first = 0; first < columns; first += kColumns) {
      const int64_t width = columns - first < kColumns ? columns - first : kColumns;
      for (int64_t j = 0; j < width; j += kLanes<float>) {
        const float* const from = b.data + (first + j) * b.column;
        if (b.row == 1) {
          PackContiguousColumns(from, b.column, inner, to + j, width);
          continue;
        }
        for (int64_t k = 0; k < inner; k += 2) {
          Store<float>(to + k / 2 * width + j, PairRows(Load<float>(from + k * b.row),
                                                        Load<float>(from + (k + 1) * b.row)));
        }
      }
      to += inner / 2 * width;
    }
  }
  static int64_t WorkSize(int64_t rows, int64_t columns) {
    return (rows + 1) / 2 * (SizeInPanels<float>(1, columns) + kColumns);
  }

  // Packs a product's left side. Each row of a panel becomes a vector of pairs, with panels `panel`
  // elements apart. Pads a last half panel with zeros.
  static void PairColumnsOf(View<const float> a, int64_t rows, int64_t inner, int64_t panel,
                            float* to) {
    for (int64_t k = 0; k < inner; k += kColumns, to += panel) {
      const float* const from = a.At(0, k);
      const bool is_full = inner - k >= kColumns;
      for (int64_t r = 0; r < rows; ++r) {
        const float* const row = from + r * a.row;
        Store<float>(to + r * PairSteps::kLeftColumns,
                     PairColumns(Load<float>(row),
                                 is_full ? Load<float>(row + kLanes<float>) : Vec<float>{}));
      }
    }
  }

  template <typename Epilogue>
  static void Multiply(View<const float> a, const float* packed, const PanelProduct& size,
                       float* work, const Epilogue& epilogue) {
    constexpr int64_t kPairs = PairSteps::kLeftColumns;
    const View<const float> pairs{work, kPairs, size.rows * kPairs};
    PairColumnsOf(a, size.rows, size.inner, pairs.panel, work);
    MultiplyPanels<float, PairSteps>(
        pairs, packed, {size.rows, size.inner / 2, size.columns, size.depth / 2, size.first / 2},
        epilogue);
  }

  static void AddGradient(View<const float> a, View<const float> b, const GradientSize& size,
                          float* work, const AddGradientTo<float>& add) {
    const int64_t pairs = (size.rows + 1) / 2;
    float* const right = work + SizeInPanels<float>(pairs, size.outputs);
    PairAllRows(a, size.rows, size.outputs, work);
    PairAllRows(b, size.rows, size.inputs, right);
    AddPanelGradient<float, PairSteps>(InPanels<const float>(work, pairs),
                                       InPanels<const float>(right, pairs),
                                       {pairs, size.outputs, size.inputs}, add);
  }

 private:
  // Packs a vector of columns, `column` apart, to rows `to_row` apart.
  static void PackContiguousColumns(const float* from, int64_t column, int64_t inner, float* to,
                                    int64_t to_row) {
    for (int64_t k = 0; k < inner; k += kColumns) {
      const bool is_full = inner - k >= kColumns;
      Vec<float> square[kLanes<float>];
#pragma GCC unroll 16
      for (int64_t r = 0; r < kLanes<float>; ++r) {
        const float* const at = from + r * column + k;
        square[r] =
            PairColumns(Load<float>(at), is_full ? Load<float>(at + kLanes<float>) : Vec<float>{});
      }
      TransposeSquare<float>(square);
      const int64_t pairs = is_full ? kLanes<float> : (inner - k) / 2;
      for (int64_t p = 0; p < pairs; ++p) Store<float>(to + (k / 2 + p) * to_row, square[p]);
    }
  }
  // Packs pairs of rows. Pairs an odd last row with 0.
  static void PairAllRows(View<const float> from, int64_t rows, int64_t columns, float* to) {
    const View<float> target = InPanels(to, (rows + 1) / 2);
    for (int64_t c = 0; c < columns; c += kLanes<float>) {
      const float* const source = from.At(0, c);
      float* const pairs = target.At(0, c);
      int64_t r = 0;
      for (; r + 2 <= rows; r += 2) {
        const float* const row = source + r * from.row;
        Store<float>(pairs + r / 2 * target.row,
                     PairRows(Load<float>(row), Load<float>(row + from.row)));
      }
      if (r < rows) {
        Store<float>(pairs + r / 2 * target.row,
                     PairRows(Load<float>(source + r * from.row), Vec<float>{}));
      }
    }
  }
};

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
