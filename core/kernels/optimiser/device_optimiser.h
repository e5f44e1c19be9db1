// One step of the optimiser on the device that holds the parameters: norm, clipping, AdamW, and for
// fp16 the loss scale. All inputs of a step are in the device's memory, so that the same launches
// serve every step (a captured graph) and the host never waits.
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "core/kernels/optimiser/optimiser_program.h"

namespace vrp {

// Updates CPU memory by the same programs, with one thread.
void OptimiseOnCpu(const OptimiserTask& task);

// Enqueues into `stream`, a cudaStream_t of the current device. kInternal: CUDA's immediate error.
// kUnimplemented: a build without CUDA.
absl::Status OptimiseOnCuda(const OptimiserTask& task, void* stream);

}  // namespace vrp
