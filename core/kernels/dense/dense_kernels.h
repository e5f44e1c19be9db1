// The dense kernels of each instruction set; see core/kernels/dense/dense.h.
#pragma once

#include "core/kernels/dense/dense.h"

namespace vrp::simd {

namespace avx2 {
template <typename T>
DenseKernels<T> MakeDenseKernels();
}
namespace avx512 {
template <typename T>
DenseKernels<T> MakeDenseKernels();
}

}  // namespace vrp::simd
