// The kernel that writes dropout's masks, to be launched on a stream. Knows CUDA, not Abseil.
#pragma once

#include <cuda_runtime_api.h>

#include "core/kernels/dropout/dropout_program.h"

namespace vrp {

// Enqueues; what CUDA reports at once.
cudaError_t LaunchMask(const DropoutMask& mask, cudaStream_t stream);

}  // namespace vrp
