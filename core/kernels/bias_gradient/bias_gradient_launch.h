// Launches the kernel of a bias's gradient on a stream. Depends on CUDA, but not on Abseil.
#pragma once

#include <cuda_runtime_api.h>

#include "core/kernels/bias_gradient/bias_gradient_task.h"

namespace vrp {

// Enqueues the kernel. Returns CUDA's immediate error. T is float or Bf16Value.
template <typename T>
cudaError_t LaunchBiasGradient(const BiasGradientTask<T>& task, cudaStream_t stream);

}  // namespace vrp
