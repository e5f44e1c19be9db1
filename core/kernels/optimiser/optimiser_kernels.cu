// Kernels of a step: the norm, whose last block decides whether to apply the step, and the update.
#include "core/kernels/launch/kernel_launch.cuh"
#include "core/kernels/launch/slice_group.cuh"
#include "core/kernels/optimiser/optimiser_launch.h"

namespace vrp {
namespace {

__global__ void __launch_bounds__(kSliceThreads) NormKernel(OptimiserTask task) {
  __shared__ double lanes[kNormLanes];
  __shared__ bool last;
  const SliceGroup<true> group;
  SumSquares(group, task, blockIdx.x, lanes);
  group.Once([&] {
    __threadfence();
    // The counter wraps to 0 after the last block.
    last = atomicInc(&task.state->arrived, gridDim.x - 1) == gridDim.x - 1;
  });
  if (!last) return;
  __threadfence();
  DecideStep(group, task, lanes);
}

__global__ void __launch_bounds__(kSliceThreads) UpdateKernel(OptimiserTask task) {
  UpdatePieceOf(SliceGroup<true>(), task, static_cast<int32_t>(blockIdx.x));
}

}  // namespace

cudaError_t LaunchOptimiser(const OptimiserTask& task, cudaStream_t stream) {
  const LaunchShape norm = {.blocks = NormBlocks(task.size), .threads = dim3(kSliceThreads)};
  if (const cudaError_t error = LaunchKernel(NormKernel, norm, stream, task);
      error != cudaSuccess) {
    return error;
  }
  const LaunchShape update = {.blocks = task.piece_count, .threads = dim3(kSliceThreads)};
  return LaunchKernel(UpdateKernel, update, stream, task);
}

}  // namespace vrp
