// One step of the optimiser where the parameters are: norm, clipping, AdamW, and for fp16 the scale
// of the losses. Everything that a step depends on lies in the device's memory, so that the same
// launches serve every step (a captured graph), and the host waits for nothing.
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "core/kernels/optimiser/optimiser_program.h"

namespace vrp {

// All pointers are to the CPU's memory: the same programs with one thread.
void OptimiseOnCpu(const OptimiserTask& task);

// Puts it into `stream`, a cudaStream_t of the current device. kInternal says what CUDA reports at
// once; kUnimplemented in a build without CUDA.
absl::Status OptimiseOnCuda(const OptimiserTask& task, void* stream);

}  // namespace vrp
