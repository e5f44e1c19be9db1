// What only CUDA has words for beside the runtime's. The tests' emulated device
// (tests/gpu/emulated) has another header in this one's place.
#pragma once

#include <cstdint>

namespace vrp {

// The block's dynamic shared memory, aligned to 16.
__device__ inline uint8_t* SharedBytes() {
  extern __shared__ __align__(16) uint8_t shared[];
  return shared;
}

// Waits until kThreads of the block, whole warps, have come to barrier `number`, of which a block
// has 16; __syncthreads waits at 0.
template <int32_t kThreads>
__device__ void WaitAtBarrier(int32_t number) {
  asm volatile("bar.sync %0, %1;" ::"r"(number), "n"(kThreads) : "memory");
}

}  // namespace vrp
