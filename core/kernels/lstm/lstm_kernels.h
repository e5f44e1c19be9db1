// The LSTM kernels of each instruction set; see core/kernels/lstm/lstm.h.
#pragma once

#include "core/kernels/lstm/lstm.h"

namespace vrp::simd {

namespace avx2 {
template <typename T>
LstmKernels<T> MakeLstmKernels();
}
namespace avx512 {
template <typename T>
LstmKernels<T> MakeLstmKernels();
}

// Kernels with products in bf16, by the processor's instructions or emulated (bf16.h).
namespace avx512_bf16 {
LstmKernels<float> MakeLstmKernels();
}
namespace avx512_bf16_emulated {
LstmKernels<float> MakeLstmKernels();
}
namespace amx_bf16 {
LstmKernels<float> MakeLstmKernels();
}
namespace amx_bf16_emulated {
LstmKernels<float> MakeLstmKernels();
}

}  // namespace vrp::simd
