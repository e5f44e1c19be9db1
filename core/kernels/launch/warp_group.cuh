// Makes a warp a group (core/kernels/support/group.h), and its threads the lanes of a group.
#pragma once

#include <cstdint>
#include <limits>

#include "core/kernels/launch/device_intrinsics.cuh"
#include "core/kernels/support/group.h"

namespace vrp {

// The threads of a warp as the lanes of a group. Every call ends with __syncwarp, because shuffles,
// votes and reductions do not order memory. Afterwards all lanes see what f() wrote, and may
// overwrite what f() read.
class WarpLanes {
 public:
  static constexpr int32_t kLanes = 32;
  static constexpr uint32_t kAll = 0xFFFFFFFFu;

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

  template <typename T, typename Weight>
  __device__ int32_t Draw(int32_t count, const Weight& weight, T target) const {
    T before = 0;
    int32_t last = 0;
    for (int32_t begin = 0; begin < count; begin += kLanes) {
      const int32_t i = begin + Lane();
      const T mine = i < count ? weight(i) : T{0};
      T sum = mine;
      for (int32_t offset = 1; offset < kLanes; offset *= 2) {
        const T lower = __shfl_up_sync(kAll, sum, offset);
        if (Lane() >= offset) sum += lower;
      }
      const uint32_t positive = __ballot_sync(kAll, mine > 0);
      // Lanes round their sums differently, so a weight of 0 may seem to pass the target.
      const uint32_t passed = __ballot_sync(kAll, mine > 0 && before + sum > target);
      if (passed != 0) {
        __syncwarp();
        return begin + __ffs(static_cast<int>(passed)) - 1;
      }
      if (positive != 0) last = begin + kLanes - 1 - __clz(static_cast<int>(positive));
      before += __shfl_sync(kAll, sum, kLanes - 1);
    }
    __syncwarp();
    return last;
  }

 private:
  static __device__ int32_t Lane() { return static_cast<int32_t>(threadIdx.x) % kLanes; }
};

// A warp as a group, whose threads have the same threadIdx.y. Needs no barrier of the block.
class WarpGroup {
 public:
  template <typename Body>
  __device__ void Each(int32_t count, const Body& body) const {
    WarpLanes().Each(count, body);
  }
  template <typename Body>
  __device__ void Rows(int32_t count, const Body& body) const {
    for (int32_t row = 0; row < count; ++row) body(WarpLanes(), row);
    Wait();
  }
  template <typename Body>
  __device__ void Once(const Body& body) const {
    WarpLanes().Once(body);
  }
  __device__ void Wait() const { __syncwarp(); }
  template <typename T>
  __device__ void Add(T& to, T value) const {
    atomicAdd(&to, value);
  }
};

}  // namespace vrp
