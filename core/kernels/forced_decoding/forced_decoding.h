// A batch's trajectories in one launch on the device that holds them: all steps where their choices
// are given (followed_program.h), the next step where a network chooses (advance_program.h).
#pragma once

#include "absl/status/status.h"
#include "core/base/cpu_pool.h"
#include "core/kernels/forced_decoding/advance_program.h"
#include "core/kernels/forced_decoding/forced_decoding_program.h"

namespace vrp {

// All pointers are to the CPU's memory: the same programs with one thread a trajectory. T is float
// or double.
template <typename T>
void ForceDecodeOnCpu(const ForcedDecodingRequest& request, const ForcedDecodingResult<T>& result,
                      CpuPool* pool = nullptr);
template <typename T>
void AdvanceOnCpu(const AdvanceRequest& request, const AdvanceResult<T>& result,
                  CpuPool* pool = nullptr);

// Put it into `stream`, a cudaStream_t of the current device. kInternal says what CUDA reports at
// once; kUnimplemented in a build without CUDA.
absl::Status ForceDecodeOnCuda(const ForcedDecodingRequest& request,
                               const ForcedDecodingResult<float>& result, void* stream);
absl::Status AdvanceOnCuda(const AdvanceRequest& request, const AdvanceResult<float>& result,
                           void* stream);

}  // namespace vrp
