// The steps of LSTMs of each instruction set; see core/kernels/lstm.h.
#pragma once

#include "core/kernels/lstm.h"

namespace vrp::simd {

namespace avx2 {
template <typename T>
LstmKernels<T> MakeLstmKernels();
}
namespace avx512 {
template <typename T>
LstmKernels<T> MakeLstmKernels();
}

}  // namespace vrp::simd
