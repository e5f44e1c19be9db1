#include "core/kernels/dense/dense.h"

#include "core/kernels/dense/dense_kernels.h"

namespace vrp {

template <typename T>
const DenseKernels<T>& DenseKernelsFor(Isa isa) {
  if (isa == Isa::kAvx2) {
    static const DenseKernels<T> avx2 = simd::avx2::MakeDenseKernels<T>();
    return avx2;
  }
  static const DenseKernels<T> avx512 = simd::avx512::MakeDenseKernels<T>();
  return avx512;
}
template const DenseKernels<float>& DenseKernelsFor<float>(Isa);
template const DenseKernels<double>& DenseKernelsFor<double>(Isa);

}  // namespace vrp
