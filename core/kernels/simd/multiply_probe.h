// Matrix products with each instruction set, for tests and benchmarks.
#pragma once

#include <cstdint>

namespace vrp::simd {

// The sizes of a product of [rows, inner] and [inner, columns].
struct ProductShape {
  int64_t rows;
  int64_t inner;
  int64_t columns;  // a multiple of the vector's lanes
};

namespace avx2 {
// Computes c [rows, columns] = a [rows, inner] b [inner, columns]. `packed` has inner * columns
// elements.
template <typename T>
void PackAndMultiply(const T* a, const T* b, ProductShape shape, T* packed, T* c);
// Computes a weight's gradient, c [rows, columns] += a^T b with a [inner, rows] and b [inner,
// columns].
template <typename T>
void AddTransposedProduct(const T* a, const T* b, ProductShape shape, T* c);
}  // namespace avx2

namespace avx512 {
template <typename T>
void PackAndMultiply(const T* a, const T* b, ProductShape shape, T* packed, T* c);
template <typename T>
void AddTransposedProduct(const T* a, const T* b, ProductShape shape, T* c);
}  // namespace avx512

}  // namespace vrp::simd
