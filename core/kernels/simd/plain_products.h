// The encoder's products with operands of the element type. bf16_products.h and
// tile_products.h have the other kinds. vec.h states who may include this.
#pragma once

#include <cstdint>

#include "core/kernels/simd/pack_b.h"
#include "core/kernels/simd/panel_gradient.h"
#include "core/kernels/simd/panel_product.h"
#include "core/kernels/simd/panels.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// Products with operands of type T.
template <typename T>
struct PlainProducts {
  using Element = T;

  static int64_t PackedSize(int64_t inner, int64_t columns) { return inner * columns; }
  // Packs `b`, whose element (k, j) is data[k * row + j * column].
  static void Pack(MatrixA<T> b, int64_t inner, int64_t columns, T* to) {
    PackB<T>(b, inner, columns, to);
  }
  // Returns the number of elements of `work` for Multiply and AddGradient. The product has `rows`
  // rows and at most `columns` columns of both sides together.
  static int64_t WorkSize(int64_t /*rows*/, int64_t /*columns*/) { return 0; }

  template <typename Epilogue>
  static void Multiply(View<const T> a, const T* packed, const PanelProduct& size, T* /*work*/,
                       const Epilogue& epilogue) {
    MultiplyPanels<T>(a, packed, size, epilogue);
  }
  static void AddGradient(View<const T> a, View<const T> b, const GradientSize& size, T* /*work*/,
                          const AddGradientTo<T>& add) {
    AddPanelGradient<T>(a, b, size, add);
  }
};

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
