// Matrices in panels as wide as a product's block, [panels, rows, columns of a panel]. A panel's
// rows are contiguous, so that products read and write contiguous memory. Rows of a row-major
// matrix, a power of two apart, would fall into few sets of the L1 cache. A weight's gradient uses
// panels without packing them. vec.h states who may include this.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/kernels/simd/gemm.h"
#include "core/kernels/simd/vec.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// Number of columns of a panel.
template <typename T>
inline constexpr int64_t kPanelColumns = kBlockVectors * kLanes<T>;

// A matrix in panels, or by rows. In the latter case a panel is kPanelColumns columns of a row.
template <typename T>
struct View {
  using Element = std::remove_const_t<T>;
  T* data;
  int64_t row;    // elements between rows
  int64_t panel;  // elements between panels

  // Returns the address of an element. A vector that begins at a multiple of its size lies in one
  // panel.
  inline __attribute__((always_inline)) T* At(int64_t i, int64_t column) const {
    constexpr int64_t kColumns = kPanelColumns<Element>;
    return data + i * row + column / kColumns * panel + column % kColumns;
  }
  View From(int64_t first_row) const { return {data + first_row * row, row, panel}; }
  View Columns(int64_t first) const { return {At(0, first), row, panel}; }
  // Returns the view whose element (0, 0) is this view's element (i, column).
  inline __attribute__((always_inline)) View Origin(int64_t i, int64_t column) const {
    return {At(i, column), row, panel};
  }
  View<const Element> AsConst() const { return {data, row, panel}; }
};

template <typename T>
inline View<T> InPanels(T* data, int64_t rows) {
  return {data, kPanelColumns<std::remove_const_t<T>>,
          rows * kPanelColumns<std::remove_const_t<T>>};
}
template <typename T>
inline View<T> ByRows(T* data, int64_t columns) {
  return {data, columns, kPanelColumns<std::remove_const_t<T>>};
}
template <typename T>
inline int64_t SizeInPanels(int64_t rows, int64_t columns) {
  return rows * ((columns + kPanelColumns<T> - 1) / kPanelColumns<T> * kPanelColumns<T>);
}

template <typename T>
inline void CopyRows(View<const T> from, int64_t rows, int64_t columns, View<T> to) {
  for (int64_t c = 0; c < columns; c += kLanes<T>) {
    const T* const source = from.At(0, c);
    T* const target = to.At(0, c);
    for (int64_t r = 0; r < rows; ++r)
      Store<T>(target + r * to.row, Load<T>(source + r * from.row));
  }
}

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
