// How plans to improve are spread over a GPU's blocks, a warp each. Plain C++.
#pragma once

#include <cstdint>

#include "core/kernels/launch/launch_limits.h"

namespace vrp {

inline constexpr int32_t kMaxImproveWarps = 4;

struct ImproveLaunchPlan {
  int32_t warps = 1;               // of a block
  int64_t warp_scratch_bytes = 0;  // of a warp
  int64_t shared_bytes = 0;        // of a block
  int64_t global_scratch_bytes =
      0;  // of global memory, where trajectory_scratch do not fit into shared memory
  int64_t blocks(int32_t instances) const { return (int64_t{instances} + warps - 1) / warps; }
};

// As many warps a block as fit; trajectory_scratch in shared memory, where one does.
ImproveLaunchPlan PlanImproveLaunch(int32_t instances, int64_t warp_scratch_bytes,
                                    const DeviceLimits& limits);

}  // namespace vrp
