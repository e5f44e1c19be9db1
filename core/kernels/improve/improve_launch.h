// Launches the improvement kernel on a stream. Depends on CUDA, but not on Abseil.
#pragma once

#include <cuda_runtime_api.h>

#include "core/kernels/improve/improve_launch_plan.h"
#include "core/kernels/improve/improve_program.h"

namespace vrp {

// The plan, the scratch and the stream of a launch.
struct ImproveLaunch {
  ImproveLaunchPlan plan;
  uint8_t* scratch = nullptr;  // plan.global_scratch_bytes of device memory
  cudaStream_t stream = nullptr;
};

// Enqueues the kernel. Returns CUDA's immediate error.
cudaError_t LaunchImprove(const ImproveBatch& batch, const ImproveRequest& request,
                          const ImproveLaunch& launch);

}  // namespace vrp
