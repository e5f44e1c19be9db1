// Instances drawn on the current CUDA device.
#include "core/kernels/instances/device_instances.h"
#include "core/kernels/instances/instance_launch.h"
#include "core/kernels/launch/cuda_scratch.h"

namespace vrp {

absl::Status DrawInstancesOnCuda(const InstanceTask& task, void* stream) {
  return CudaStatus(LaunchInstances(task, static_cast<cudaStream_t>(stream)), "instances");
}

}  // namespace vrp
