// Launches the kernels of a residual connection with an instance norm on a stream. Depends on CUDA,
// but not on Abseil. T is float or Bf16Value.
#pragma once

#include <cuda_runtime_api.h>

#include "core/kernels/residual_norm/residual_norm_task.h"

namespace vrp {

// Enqueues the forward kernel. Returns CUDA's immediate error.
template <typename T>
cudaError_t LaunchResidualNorm(const ResidualNormInputs<T>& inputs,
                               const ResidualNormOutputs<T>& outputs, cudaStream_t stream);

// Enqueues the backward kernel. Returns CUDA's immediate error.
template <typename T>
cudaError_t LaunchResidualNormBackward(const ResidualNormInputs<T>& inputs,
                                       const ResidualNormGradient<T>& gradient,
                                       cudaStream_t stream);

}  // namespace vrp
