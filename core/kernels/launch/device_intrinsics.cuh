// Constructs of CUDA C++ that the tests' emulated device cannot define: dynamic shared memory and
// PTX instructions. The emulated device has its own version of this header (tests/gpu/emulated).
#pragma once

#include <cstdint>

namespace vrp {

// Returns the block's dynamic shared memory, aligned to 16.
__device__ inline uint8_t* SharedBytes() {
  extern __shared__ __align__(16) uint8_t shared[];
  return shared;
}

// Waits until kThreads threads of the block (whole warps) have reached barrier `number`, below 16.
// __syncthreads uses barrier 0.
template <int32_t kThreads>
__device__ void WaitAtBarrier(int32_t number) {
  asm volatile("bar.sync %0, %1;" ::"r"(number), "n"(kThreads) : "memory");
}

}  // namespace vrp
