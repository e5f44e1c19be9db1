// Instances drawn on the current CUDA device.
#include "core/kernels/cuda/cuda_scratch.h"
#include "core/kernels/cuda/instance_launch.h"
#include "core/kernels/device_instances.h"

namespace vrp {

absl::Status DrawInstancesOnCuda(const InstanceTask& task, void* stream) {
  return CudaStatus(LaunchInstances(task, static_cast<cudaStream_t>(stream)), "instances");
}

}  // namespace vrp
