// The kernels of both attentions for each instruction set; see
// core/kernels/pointer_steps/pointer_steps.h.
#pragma once

#include "core/kernels/pointer_steps/pointer_steps.h"

namespace vrp::simd {

namespace avx2 {
template <typename T>
PointerKernels<T> MakePointerKernels();
}
namespace avx512 {
template <typename T>
PointerKernels<T> MakePointerKernels();
}

}  // namespace vrp::simd
