// Weights in the layout of step_product.h, for any kind of operands. The layout has panels of a
// block's columns, the last one without a gap. vec.h states who may include this.
#pragma once

#include <cstdint>

#include "core/kernels/simd/gemm.h"
#include "core/kernels/simd/transpose.h"
#include "core/kernels/simd/vec.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// Packs a panel [P::PackedInner(inputs), width] of the transpose. `weights` begins at the panel's
// first row before transposition.
template <typename P, typename T = typename P::Element>
inline void PackTransposedPanel(MatrixA<T> weights, int64_t inputs, int64_t width, T* packed) {
  for (int64_t k = 0; k < inputs; k += kLanes<T> * P::kValuesPerElement) {
    const int64_t left = inputs - k;
    const int64_t packed_left = P::PackedInner(inputs) - k / P::kValuesPerElement;
    const int64_t rows = packed_left < kLanes<T> ? packed_left : kLanes<T>;
    for (int64_t j = 0; j < width; j += kLanes<T>) {
      Vec<T> square[kLanes<T>];
      const T* const from = weights.data + j * weights.row + k;
#pragma GCC unroll 16
      for (int64_t r = 0; r < kLanes<T>; ++r) {
        square[r] = P::AlongRow(from + r * weights.row, left);
      }
      TransposeSquare<T>(square);
      T* const to = packed + k / P::kValuesPerElement * width + j;
      for (int64_t r = 0; r < rows; ++r) Store<T>(to + r * width, square[r]);
    }
  }
}

// Packs `weights` [outputs, inputs] to `forward` for y = W x and to `back` for dx = W^T dy. Both
// sizes are multiples of 16.
template <typename P, typename T = typename P::Element>
inline void PackWeights(const T* weights, int64_t outputs, int64_t inputs, T* forward, T* back) {
  constexpr int64_t kPanel = kBlockVectors * kLanes<T>;
  for (int64_t first = 0; first < outputs; first += kPanel) {
    const int64_t width = outputs - first < kPanel ? outputs - first : kPanel;
    PackTransposedPanel<P>({weights + first * inputs, inputs, 1}, inputs, width,
                           forward + first * P::PackedInner(inputs));
  }
  for (int64_t first = 0; first < inputs; first += kPanel) {
    const int64_t width = inputs - first < kPanel ? inputs - first : kPanel;
    for (int64_t k = 0; k < outputs; k += P::kValuesPerElement, back += width) {
      for (int64_t j = 0; j < width; j += kLanes<T>) {
        const T* const from = weights + k * inputs + first + j;
        Store<T>(back + j, P::AlongRows({from, inputs, 1}, P::kValuesPerElement, kLanes<T>));
      }
    }
    for (int64_t k = outputs / P::kValuesPerElement; k < P::PackedInner(outputs);
         ++k, back += width) {
      for (int64_t j = 0; j < width; j += kLanes<T>) Store<T>(back + j, Vec<T>{});
    }
  }
}

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
