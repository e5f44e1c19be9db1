// The gradient of a bias: the sum of the rows' gradients, optionally behind a ReLU. Gates the rows
// and sums them in one pass over memory.
#pragma once

#include "absl/status/status.h"
#include "core/kernels/bias_gradient/bias_gradient_task.h"

namespace vrp {

// Computes on the CPU, in plain loops: the reference for the kernel.
template <typename T>
void SumBiasGradientOnCpu(const BiasGradientTask<T>& task);

// Enqueues one kernel into `stream`, a cudaStream_t of the current device. Returns CUDA's immediate
// error as mapped by CudaStatus (launch/cuda_scratch.h), or kUnimplemented in a build without CUDA.
template <typename T>
absl::Status SumBiasGradientOnCuda(const BiasGradientTask<T>& task, void* stream);

}  // namespace vrp
