// Defines CUDA's names that kernels use: a thread's indices, and calls that synchronise threads or
// exchange their values. Each call may switch to any other thread of the block.
#pragma once

#include <cuda_runtime_api.h>

#include <bit>
#include <cstdint>
#include <source_location>

namespace vrp::emulated {

// Indices of the running thread.
extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;

uint8_t* DynamicShared();

// Waits at one of the block's 16 barriers for `threads` threads. All of them must give the same
// `line`.
void MeetBarrier(int32_t number, int32_t threads, uint32_t line = 0);

// Calls that all lanes of `mask` make together. Only kSync makes a lane's writes visible to other
// lanes.
enum class WarpCall { kSync, kShuffle, kBallot, kMin, kProduct };
// Returns the call's result for this lane. For kShuffle, that is the value of lane ^ `other`.
uint64_t MeetWarp(WarpCall call, uint32_t mask, uint64_t value, int32_t other = 0);

// A product of matrices by all lanes of a warp: AddProductTf32 of device_intrinsics.cuh.
void MeetProduct(const uint32_t (&a)[4], const uint32_t (&b)[2], float (&sum)[4]);

// Announces an atomic operation on `bytes` bytes, whose own accesses are not watched.
void BeginAtomic(const void* at, int32_t bytes);

// Makes the thread's next atomic operation publish the writes that the thread has seen. Acquires
// the writes that its last atomic operation received.
void Fence();

template <typename T>
__attribute__((no_sanitize("thread"))) T FetchAdd(T* to, T value) {
  BeginAtomic(to, sizeof(T));
  const T old = *to;
  *to = old + value;
  return old;
}

}  // namespace vrp::emulated

// NOLINTBEGIN(bugprone-reserved-identifier): CUDA's names
inline void __syncthreads(std::source_location place = std::source_location::current()) {
  const dim3& block = vrp::emulated::blockDim;
  vrp::emulated::MeetBarrier(0, static_cast<int32_t>(block.x * block.y * block.z), place.line());
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
// The lane of the running thread in its warp.
inline int32_t EmulatedLane() {
  const dim3& block = vrp::emulated::blockDim;
  const uint3& at = vrp::emulated::threadIdx;
  return static_cast<int32_t>((at.z * block.y + at.y) * block.x + at.x) % 32;
}
template <typename T>
T __shfl_sync(uint32_t mask, T value, int32_t lane) {
  return __shfl_xor_sync(mask, value, EmulatedLane() ^ lane);
}
template <typename T>
T __shfl_up_sync(uint32_t mask, T value, int32_t offset) {
  const int32_t lane = EmulatedLane();
  return __shfl_sync(mask, value, lane >= offset ? lane - offset : lane);
}
inline uint32_t __ballot_sync(uint32_t mask, int32_t vote) {
  return static_cast<uint32_t>(
      vrp::emulated::MeetWarp(vrp::emulated::WarpCall::kBallot, mask, vote != 0 ? 1 : 0));
}
inline int32_t __reduce_min_sync(uint32_t mask, int32_t value) {
  const auto bits = static_cast<uint32_t>(value);
  return static_cast<int32_t>(vrp::emulated::MeetWarp(vrp::emulated::WarpCall::kMin, mask, bits));
}
inline int32_t __ffs(int32_t bits) {
  return bits == 0 ? 0 : std::countr_zero(static_cast<uint32_t>(bits)) + 1;
}

inline int32_t __popc(uint32_t bits) { return std::popcount(bits); }
inline int32_t __clz(int32_t bits) { return std::countl_zero(static_cast<uint32_t>(bits)); }

inline void __threadfence() { vrp::emulated::Fence(); }
// NOLINTEND(bugprone-reserved-identifier)

template <typename T>
T atomicAdd(T* to, T value) {
  return vrp::emulated::FetchAdd(to, value);
}
__attribute__((no_sanitize("thread"))) inline uint32_t atomicInc(uint32_t* to, uint32_t limit) {
  vrp::emulated::BeginAtomic(to, sizeof(uint32_t));
  const uint32_t old = *to;
  *to = old >= limit ? 0 : old + 1;
  return old;
}
