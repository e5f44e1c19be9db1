// Launches the kernel that draws instances on a given stream. Depends on CUDA, but not on Abseil.
#pragma once

#include <cuda_runtime_api.h>

#include "core/kernels/instances/instance_task.h"

namespace vrp {

// Enqueues the kernel. Returns CUDA's immediate error.
cudaError_t LaunchInstances(const InstanceTask& task, cudaStream_t stream);

}  // namespace vrp
