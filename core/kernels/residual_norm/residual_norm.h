// A residual connection followed by an instance norm: each channel of x + branch is standardised
// over the valid nodes of its instance, then scaled and shifted (Ulyanov et al. 2016). T is float
// or Bf16Value; sums are computed in float.
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "core/kernels/residual_norm/residual_norm_task.h"

namespace vrp {

// Computes on the CPU, in plain loops: the reference for the kernels.
template <typename T>
void ResidualNormOnCpu(const ResidualNormInputs<T>& inputs, const ResidualNormOutputs<T>& outputs);
template <typename T>
void ResidualNormBackwardOnCpu(const ResidualNormInputs<T>& inputs,
                               const ResidualNormGradient<T>& gradient);

// Enqueue one kernel into `stream`, a cudaStream_t of the current device. Return CUDA's immediate
// error as mapped by CudaStatus (launch/cuda_scratch.h), or kUnimplemented in a build without CUDA.
template <typename T>
absl::Status ResidualNormOnCuda(const ResidualNormInputs<T>& inputs,
                                const ResidualNormOutputs<T>& outputs, void* stream);
template <typename T>
absl::Status ResidualNormBackwardOnCuda(const ResidualNormInputs<T>& inputs,
                                        const ResidualNormGradient<T>& gradient, void* stream);

}  // namespace vrp
