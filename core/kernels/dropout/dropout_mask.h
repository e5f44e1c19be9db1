// Dropout masks between the layers of an LSTM, drawn on the device that holds the sequences.
// Counter-based random numbers (step_random.h) make them equal on every device.
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "core/kernels/dropout/dropout_program.h"

namespace vrp {

// Writes to CPU memory.
void WriteMaskOnCpu(const DropoutMask& mask);

// Enqueues into `stream`, a cudaStream_t of the current device. kInternal: CUDA's immediate error.
// kUnimplemented: a build without CUDA.
absl::Status WriteMaskOnCuda(const DropoutMask& mask, void* stream);

}  // namespace vrp
