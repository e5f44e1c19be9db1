// One step of the optimiser on the device that holds the parameters: norm, clipping, AdamW, and for
// fp16 the loss scale. All inputs of a step are in the device's memory. A captured graph can
// therefore replay the same launches at every step, and the host never waits.
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "core/kernels/optimiser/optimiser_program.h"

namespace vrp {

// Updates CPU memory with the same programs, on one thread.
void OptimiseOnCpu(const OptimiserTask& task);

// Enqueues the kernels into `stream`, a cudaStream_t of the current device. Returns CUDA's
// immediate error as mapped by CudaStatus (launch/cuda_scratch.h), or kUnimplemented in a build
// without CUDA.
absl::Status OptimiseOnCuda(const OptimiserTask& task, void* stream);

}  // namespace vrp
