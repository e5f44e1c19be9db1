// Makes a slice of a block a group (core/kernels/support/group.h) whose lanes are warps. A slice is
// 128 threads that have their own barrier. Blocks have (kSliceThreads, slices) threads.
#pragma once

#include <cstdint>
#include <limits>

#include "core/kernels/launch/device_intrinsics.cuh"
#include "core/kernels/launch/launch_limits.h"
#include "core/kernels/support/group.h"

namespace vrp {

// The threads of a warp as the lanes of a group. Every call ends with __syncwarp, because shuffles,
// votes and reductions do not order memory. Afterwards all lanes see what f() wrote, and may
// overwrite what f() read.
class WarpLanes {
 public:
  template <typename Body>
  __device__ void Each(int32_t count, const Body& body) const {
    for (int32_t i = Lane(); i < count; i += kLanes) body(i);
    __syncwarp();
  }
  template <typename Body>
  __device__ void Once(const Body& body) const {
    if (Lane() == 0) body();
    __syncwarp();
  }
  template <typename T, typename Term>
  __device__ T Sum(int32_t count, const Term& term) const {
    T sum = 0;
    for (int32_t i = Lane(); i < count; i += kLanes) sum += term(i);
    for (int32_t offset = kLanes / 2; offset > 0; offset /= 2) {
      sum += __shfl_xor_sync(kAll, sum, offset);
    }
    __syncwarp();
    return sum;
  }
  template <typename T, typename Value>
  __device__ T Max(int32_t count, const Value& value) const {
    T largest = -std::numeric_limits<T>::infinity();
    for (int32_t i = Lane(); i < count; i += kLanes) {
      const T mine = value(i);
      largest = mine > largest ? mine : largest;
    }
    for (int32_t offset = kLanes / 2; offset > 0; offset /= 2) {
      const T theirs = __shfl_xor_sync(kAll, largest, offset);
      largest = theirs > largest ? theirs : largest;
    }
    __syncwarp();
    return largest;
  }
  template <typename Test>
  __device__ int32_t First(int32_t count, const Test& test) const {
    int32_t first = count;
    for (int32_t begin = 0; begin < count && first == count; begin += kLanes) {
      const int32_t i = begin + Lane();
      const uint32_t passed = __ballot_sync(kAll, i < count && test(i));
      if (passed != 0) first = begin + __ffs(static_cast<int>(passed)) - 1;
    }
    __syncwarp();
    return first;
  }
  template <typename Value>
  __device__ MinValue Min(int32_t count, const Value& value) const {
    MinValue mine = {.index = count};
    for (int32_t i = Lane(); i < count; i += kLanes) {
      const int32_t other = value(i);
      if (other < mine.value) mine = {other, i};
    }
    const int32_t least = __reduce_min_sync(kAll, mine.value);
    const int32_t index = __reduce_min_sync(kAll, mine.value == least ? mine.index : count);
    __syncwarp();
    return {least, index};
  }

 private:
  static constexpr int32_t kLanes = 32;
  static constexpr uint32_t kAll = 0xFFFFFFFFu;

  static __device__ int32_t Lane() { return static_cast<int32_t>(threadIdx.x) % kLanes; }
};

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
