// Dropout masks between the layers of an LSTM, drawn on the device that holds the sequences.
// Counter-based random numbers (step_random.h) make them equal on every device.
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "core/kernels/dropout/dropout_program.h"

namespace vrp {

// Writes the mask to CPU memory.
void WriteMaskOnCpu(const DropoutMask& mask);

// Enqueues the kernel into `stream`, a cudaStream_t of the current device. Returns CUDA's immediate
// error as mapped by CudaStatus (launch/cuda_scratch.h), or kUnimplemented in a build without CUDA.
absl::Status WriteMaskOnCuda(const DropoutMask& mask, void* stream);

}  // namespace vrp
