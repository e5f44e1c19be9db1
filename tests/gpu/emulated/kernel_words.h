// What kernels call by CUDA's names: where a thread is, and how it meets others. Each call may give
// the CPU to any other thread of the block.
#pragma once

#include <cuda_runtime_api.h>

#include <bit>
#include <cstdint>

namespace vrp::emulated {

// Of the thread that runs.
extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;

uint8_t* DynamicShared();

// Of a block's 16; `threads` of it are waited for.
void MeetBarrier(int32_t number, int32_t threads);

// What all lanes of `mask` come to alike. Lanes see each other's writes behind kSync alone.
enum class WarpCall { kSync, kShuffle, kBallot, kLeast };
// What the call gives this lane; kShuffle: of lane ^ `other`.
uint64_t MeetWarp(WarpCall call, uint32_t mask, uint64_t value, int32_t other = 0);

// Before an atomic operation on so many bytes, whose own accesses are not to be watched.
void BeginAtomic(const void* at, int32_t bytes);

// What the thread has seen is told to other blocks by its next atomic operation; what its last one
// was told it sees.
void Fence();

template <typename T>
__attribute__((no_sanitize("thread"))) T FetchAdd(T* to, T value) {
  BeginAtomic(to, sizeof(T));
  const T old = *to;
  *to = old + value;
  return old;
}

}  // namespace vrp::emulated

inline void __syncthreads() {
  const dim3& block = vrp::emulated::blockDim;
  vrp::emulated::MeetBarrier(0, static_cast<int32_t>(block.x * block.y * block.z));
}
inline void __syncwarp(uint32_t mask = 0xFFFFFFFFu) {
  vrp::emulated::MeetWarp(vrp::emulated::WarpCall::kSync, mask, 0);
}
template <typename T>
T __shfl_xor_sync(uint32_t mask, T value, int32_t other) {
  using Bits = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
  const uint64_t given = vrp::emulated::MeetWarp(vrp::emulated::WarpCall::kShuffle, mask,
                                                 std::bit_cast<Bits>(value), other);
  return std::bit_cast<T>(static_cast<Bits>(given));
}
inline uint32_t __ballot_sync(uint32_t mask, int32_t vote) {
  return static_cast<uint32_t>(
      vrp::emulated::MeetWarp(vrp::emulated::WarpCall::kBallot, mask, vote != 0 ? 1 : 0));
}
inline int32_t __reduce_min_sync(uint32_t mask, int32_t value) {
  const auto bits = static_cast<uint32_t>(value);
  return static_cast<int32_t>(vrp::emulated::MeetWarp(vrp::emulated::WarpCall::kLeast, mask, bits));
}
inline int32_t __ffs(int32_t bits) {
  return bits == 0 ? 0 : std::countr_zero(static_cast<uint32_t>(bits)) + 1;
}

inline void __threadfence() { vrp::emulated::Fence(); }

template <typename T>
T atomicAdd(T* to, T value) {
  return vrp::emulated::FetchAdd(to, value);
}
__attribute__((no_sanitize("thread"))) inline uint32_t atomicInc(uint32_t* to, uint32_t most) {
  vrp::emulated::BeginAtomic(to, sizeof(uint32_t));
  const uint32_t old = *to;
  *to = old >= most ? 0 : old + 1;
  return old;
}
