// Makes a slice of a block a group (core/kernels/support/group.h) whose lanes are warps. A slice is
// 128 threads that have their own barrier. Blocks have (kSliceThreads, slices) threads.
#pragma once

#include <cstdint>

#include "core/kernels/launch/device_intrinsics.cuh"
#include "core/kernels/launch/launch_limits.h"
#include "core/kernels/launch/warp_group.cuh"

namespace vrp {

// A slice as a group. `kSingleSlice`: whether the block has only this slice.
template <bool kSingleSlice>
class SliceGroup {
 public:
  template <typename Body>
  __device__ void Each(int32_t count, const Body& body) const {
    for (int32_t i = Thread(); i < count; i += kSliceThreads) body(i);
    Wait();
  }
  template <typename Body>
  __device__ void Rows(int32_t count, const Body& body) const {
    constexpr int32_t kWarps = kSliceThreads / 32;
    for (int32_t row = Thread() / 32; row < count; row += kWarps) body(WarpLanes(), row);
    Wait();
  }
  template <typename Body>
  __device__ void Once(const Body& body) const {
    if (Thread() == 0) body();
    Wait();
  }
  // Waits for the slice's threads. A barrier number known only at run time would make ptxas reserve
  // all 16 barriers for the block. A multiprocessor has only 24 to 64 barriers, so few blocks would
  // share it.
  __device__ void Wait() const {
    if constexpr (kSingleSlice) {
      __syncthreads();
    } else {
      // Barrier 0 belongs to the whole block.
      WaitAtBarrier<kSliceThreads>(static_cast<int32_t>(threadIdx.y) + 1);
    }
  }
  template <typename T>
  __device__ void Add(T& to, T value) const {
    atomicAdd(&to, value);
  }

 private:
  static __device__ int32_t Thread() { return static_cast<int32_t>(threadIdx.x); }
};

}  // namespace vrp
