// The kernel that draws instances, to be launched on a stream. Knows CUDA, not Abseil.
#pragma once

#include <cuda_runtime_api.h>

#include "core/kernels/instances/instance_task.h"

namespace vrp {

// Enqueues; what CUDA reports at once.
cudaError_t LaunchInstances(const InstanceTask& task, cudaStream_t stream);

}  // namespace vrp
