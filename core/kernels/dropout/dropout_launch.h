// Launches the kernel of dropout masks on a stream. Depends on CUDA, but not on Abseil.
#pragma once

#include <cuda_runtime_api.h>

#include "core/kernels/dropout/dropout_program.h"

namespace vrp {

// Enqueues the kernel. Returns CUDA's immediate error.
cudaError_t LaunchMask(const DropoutMask& mask, cudaStream_t stream);

}  // namespace vrp
