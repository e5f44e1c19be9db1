// Matrix products and edge features, which engines need besides encoder and decoder, for the
// instruction set chosen at run time. All functions run on the calling thread.
#pragma once

#include <cstdint>

#include "core/base/isa.h"

namespace vrp {

// A view of rows: element (i, j) is data[i * stride + j].
template <typename T>
struct Rows {
  T* data;
  int64_t stride;
};

// The sizes of a product of [rows, inner] and [inner, columns].
struct DenseShape {
  int64_t rows;
  int64_t inner;
  int64_t columns;  // a multiple of 16
};

// Functions of one instruction set.
template <typename T>
struct DenseKernels {
  // Packs the [inner, columns] matrix whose element (k, j) is data[k * row + j * column]. `packed`
  // has inner * columns elements.
  void (*pack)(const T* data, int64_t row, int64_t column, DenseShape shape, T* packed);
  // Computes c = a packed + bias; `bias` [columns] or null.
  void (*multiply)(Rows<const T> a, const T* packed, const T* bias, DenseShape shape, Rows<T> c);
  // Computes c += a packed.
  void (*multiply_add)(Rows<const T> a, const T* packed, DenseShape shape, Rows<T> c);
  // Computes c [rows, columns] += a^T b, with a [inner, rows] and b [inner, columns].
  void (*add_transposed)(Rows<const T> a, Rows<const T> b, DenseShape shape, Rows<T> c);
  // Writes the edge features of N nodes, [kEdgeFeatures, N, N] (core/model/policy/network_batch.h),
  // from scaled distances [N, N].
  void (*edge_features)(const T* distances, int64_t nodes, T* features);
};

// Returns the kernels for `isa`. T is float or double.
template <typename T>
const DenseKernels<T>& DenseKernelsFor(Isa isa);

}  // namespace vrp
