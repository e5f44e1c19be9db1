#include "core/kernels/launch/device_intrinsics.cuh"
#include "core/kernels/launch/kernel_launch.cuh"
#include "tests/gpu/emulated/tiny_kernels.h"

namespace vrp::emulated {
namespace {

constexpr uint32_t kAll = 0xFFFFFFFFu;

__device__ int32_t Thread() { return static_cast<int32_t>(threadIdx.y * blockDim.x + threadIdx.x); }
__device__ int32_t Threads() { return static_cast<int32_t>(blockDim.y * blockDim.x); }

// Reverses values[first .. first + count), with threads that wait for each other in `meet`.
template <typename Meet>
__device__ void Reverse(const TinyTask& task, int32_t first, int32_t count, const Meet& meet) {
  auto* const shared = reinterpret_cast<int32_t*>(SharedBytes());
  const int32_t i = Thread() - first;
  shared[first + i] = task.values[first + i];
  meet();
  task.values[first + i] = shared[first + count - 1 - i];
}

__device__ void ReverseBySlice(const TinyTask& task) {
  const auto columns = static_cast<int32_t>(blockDim.x);
  const auto row = static_cast<int32_t>(threadIdx.y);
  const auto meet = [&] { WaitAtBarrier<64>(row + 1); };
  for (int32_t times = row == 0 ? 3 : 1; times > 0; --times) {
    Reverse(task, row * columns, columns, meet);
    meet();
  }
}

__device__ void SumByLast(const TinyTask& task, bool fences) {
  if (Thread() > 0) return;
  task.values[1 + blockIdx.x] = static_cast<int32_t>(blockIdx.x) + 1;
  if (fences) __threadfence();
  auto* const arrived = reinterpret_cast<uint32_t*>(task.values);
  if (atomicInc(arrived, gridDim.x - 1) < gridDim.x - 1) return;
  if (fences) __threadfence();
  int32_t sum = 0;
  for (uint32_t block = 0; block < gridDim.x; ++block) sum += task.values[1 + block];
  task.values[9] = sum;
}

__device__ void MeetInconsistently(const TinyTask& task) {
  const bool first = threadIdx.x < 16;
  switch (task.trick) {
    case Trick::kHalfBarrier:
      if (Thread() < Threads() / 2) __syncthreads();
      return;
    case Trick::kHalfShuffle:
      if (first) __shfl_xor_sync(kAll, Thread(), 1);
      return;
    case Trick::kMixedCalls:
      first ? __syncwarp() : static_cast<void>(__ballot_sync(kAll, 1));
      return;
    case Trick::kTwoPlaces:
      if (Thread() < 32) {
        __syncthreads();
      } else {
        __syncthreads();
      }
      return;
    case Trick::kTwoNamedPlaces:
      if (Thread() < 32) {
        WaitAtBarrier(1, Threads());
      } else {
        WaitAtBarrier(1, Threads());
      }
      return;
    default:
      Thread() < 32 ? WaitAtBarrier<64>(1) : WaitAtBarrier<96>(1);
  }
}

__global__ void TinyKernel(TinyTask task) {
  auto* const shared = reinterpret_cast<int32_t*>(SharedBytes());
  const int32_t warp = Thread() / 32 * 32;
  switch (task.trick) {
    case Trick::kReverseByBlock:
      return Reverse(task, 0, Threads(), [] { __syncthreads(); });
    case Trick::kReverseByWarp:
      return Reverse(task, warp, 32, [] { __syncwarp(); });
    case Trick::kReverseBySlice:
      return ReverseBySlice(task);
    case Trick::kAddToOne:
      atomicAdd(task.values, 1);
      return;
    case Trick::kSumByLast:
    case Trick::kNoFence:
      return SumByLast(task, task.trick == Trick::kSumByLast);
    case Trick::kNothing:
      return;
    case Trick::kNoBarrier:
      return Reverse(task, 0, Threads(), [] {});
    case Trick::kNoSyncWarp:
      return Reverse(task, warp, 32, [] { __shfl_xor_sync(kAll, 0, 1); });
    case Trick::kBeyondValues:
      task.values[Thread() + task.count - Threads() + 1] = 0;
      return;
    case Trick::kBeyondShared:
      shared[1024 + Thread()] = 0;
      return;
    case Trick::kReadShared:
      task.values[Thread()] = shared[Thread()];
      return;
    default:
      MeetInconsistently(task);
  }
}

}  // namespace

cudaError_t LaunchTiny(const TinyTask& task, const TinyShape& shape, cudaStream_t stream) {
  return LaunchKernel(
      TinyKernel,
      {.blocks = shape.blocks, .threads = shape.threads, .shared_bytes = shape.shared_bytes},
      stream, task);
}

}  // namespace vrp::emulated
