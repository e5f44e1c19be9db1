// The optimiser's kernels, to be launched on a stream. Knows CUDA, not Abseil.
#pragma once

#include <cuda_runtime_api.h>

#include "core/kernels/optimiser/optimiser_program.h"

namespace vrp {

// Enqueues; what CUDA reports at once.
cudaError_t LaunchOptimiser(const OptimiserTask& task, cudaStream_t stream);

}  // namespace vrp
