// Steps of a batch's trajectories in one launch, on the device that holds them. Forced decoding
// replays given choices (forced_decoding_program.h). Single steps apply a network's own choices
// (advance_program.h).
#pragma once

#include "absl/status/status.h"
#include "core/base/cpu_pool.h"
#include "core/kernels/forced_decoding/advance_program.h"
#include "core/kernels/forced_decoding/forced_decoding_program.h"

namespace vrp {

// Runs the same programs on CPU memory, with one thread per trajectory. T is float or double.
template <typename T>
void ForceDecodeOnCpu(const ForcedDecodingRequest& request, const ForcedDecodingResult<T>& result,
                      CpuPool* pool = nullptr);
template <typename T>
void AdvanceOnCpu(const AdvanceRequest& request, const AdvanceResult<T>& result,
                  CpuPool* pool = nullptr);

// Enqueues the kernel into `stream`, a cudaStream_t of the current device. Returns kInternal for
// CUDA's immediate error, and kUnimplemented in a build without CUDA.
absl::Status ForceDecodeOnCuda(const ForcedDecodingRequest& request,
                               const ForcedDecodingResult<float>& result, void* stream);
absl::Status AdvanceOnCuda(const AdvanceRequest& request, const AdvanceResult<float>& result,
                           void* stream);

}  // namespace vrp
