// What dropout keeps between the layers of an LSTM, where the sequences are: the same numbers on
// every device, since they are drawn by counters (step_random.h).
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "core/kernels/dropout/dropout_program.h"

namespace vrp {

// Memory of the CPU.
void WriteMaskOnCpu(const DropoutMask& mask);

// Puts it into `stream`, a cudaStream_t of the current device. kInternal says what CUDA reports at
// once; kUnimplemented in a build without CUDA.
absl::Status WriteMaskOnCuda(const DropoutMask& mask, void* stream);

}  // namespace vrp
