// Launches the optimiser's kernels on a stream. Depends on CUDA, but not on Abseil.
#pragma once

#include <cuda_runtime_api.h>

#include "core/kernels/optimiser/optimiser_program.h"

namespace vrp {

// Enqueues the kernels. Returns CUDA's immediate error.
cudaError_t LaunchOptimiser(const OptimiserTask& task, cudaStream_t stream);

}  // namespace vrp
