// Kernel that draws a batch, one block per instance.
#include "core/kernels/instances/instance_launch.h"
#include "core/kernels/instances/instance_program.h"
#include "core/kernels/launch/kernel_launch.cuh"
#include "core/kernels/launch/slice_group.cuh"

namespace vrp {
namespace {

__global__ void __launch_bounds__(kSliceThreads) InstanceKernel(InstanceTask task) {
  __shared__ double extremes[4];
  MakeInstance(SliceGroup<true>(), task, static_cast<int32_t>(blockIdx.x), extremes);
}

}  // namespace

cudaError_t LaunchInstances(const InstanceTask& task, cudaStream_t stream) {
  const LaunchShape shape = {.blocks = task.instances, .threads = dim3(kSliceThreads)};
  return LaunchKernel(InstanceKernel, shape, stream, task);
}

}  // namespace vrp
