// Matrix products with each instruction set, for tests and benchmarks.
#include "core/kernels/simd/multiply_probe.h"

#include "core/kernels/simd/gemm.h"
#include "core/kernels/simd/pack_b.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

template <typename T>
void PackAndMultiply(const T* a, const T* b, ProductShape shape, T* packed, T* c) {
  PackB<T>({b, shape.columns, 1}, shape.inner, shape.columns, packed);
  Multiply<T>({a, shape.inner, 1}, {packed, 0, true}, shape.rows, shape.inner, shape.columns,
              StoreTo<T>{c, shape.columns});
}
template void PackAndMultiply<float>(const float*, const float*, ProductShape, float*, float*);
template void PackAndMultiply<double>(const double*, const double*, ProductShape, double*, double*);

template <typename T>
void AddTransposedProduct(const T* a, const T* b, ProductShape shape, T* c) {
  Multiply<T>({a, 1, shape.rows}, {b, shape.columns, false}, shape.rows, shape.inner, shape.columns,
              AddTo<T>{c, shape.columns});
}
template void AddTransposedProduct<float>(const float*, const float*, ProductShape, float*);
template void AddTransposedProduct<double>(const double*, const double*, ProductShape, double*);

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
