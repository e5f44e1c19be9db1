// Steps of a batch's trajectories in one launch, on the device that holds them. Forced decoding
// replays given choices (forced_decoding_program.h). Single steps apply a network's own choices
// (advance_program.h).
#pragma once

#include "absl/status/status.h"
#include "core/base/cpu_pool.h"
#include "core/kernels/forced_decoding/advance_program.h"
#include "core/kernels/forced_decoding/forced_decoding_program.h"

namespace vrp {

// Runs the same programs on CPU memory. One thread runs a whole trajectory. Uses the pool's
// threads, or the calling thread if `pool` is null or there are at most 64 trajectories. T is float
// or double.
template <typename T>
void ForceDecodeOnCpu(const ForcedDecodingRequest& request, const ForcedDecodingResult<T>& result,
                      CpuPool* pool = nullptr);
template <typename T>
void AdvanceOnCpu(const AdvanceRequest& request, const AdvanceResult<T>& result,
                  CpuPool* pool = nullptr);

// Enqueues the kernel into `stream`, a cudaStream_t of the current device. Returns CUDA's immediate
// error as mapped by CudaStatus (launch/cuda_scratch.h), or kUnimplemented in a build without CUDA.
absl::Status ForceDecodeOnCuda(const ForcedDecodingRequest& request,
                               const ForcedDecodingResult<float>& result, void* stream);
absl::Status AdvanceOnCuda(const AdvanceRequest& request, const AdvanceResult<float>& result,
                           void* stream);

}  // namespace vrp
