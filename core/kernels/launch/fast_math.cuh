// Functions of float32 numbers in a few instructions of a GPU.
#pragma once

#include "core/kernels/launch/device_intrinsics.cuh"

namespace vrp {

inline constexpr float kLog2E = 1.44269504f;

// Returns tanh(x) with an absolute error of about 2e-7.
__device__ inline float FastTanh(float x) {
  return 1 - 2 * FastReciprocal(1 + FastExp2(2 * kLog2E * x));
}

}  // namespace vrp
