// All steps of a batch's trajectories whose choices are given, in one launch on the device that
// holds them (followed_program.h).
#pragma once

#include "absl/status/status.h"
#include "core/base/cpu_pool.h"
#include "core/kernels/followed_program.h"

namespace vrp {

// All pointers are to the CPU's memory: the same program with one thread a trajectory. T is float
// or double.
template <typename T>
void FollowOnCpu(const FollowRequest& request, const FollowResult<T>& result,
                 CpuPool* pool = nullptr);

// Puts it into `stream`, a cudaStream_t of the current device. kInternal says what CUDA reports at
// once; kUnimplemented in a build without CUDA.
absl::Status FollowOnCuda(const FollowRequest& request, const FollowResult<float>& result,
                          void* stream);

}  // namespace vrp
