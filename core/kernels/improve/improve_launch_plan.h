// Distribution of plans over a GPU's blocks, one warp per plan. Does not depend on CUDA.
#pragma once

#include <cstdint>

#include "core/kernels/launch/launch_limits.h"

namespace vrp {

// Maximum number of warps of a block.
inline constexpr int32_t kMaxImproveWarps = 4;

// The sizes of a launch.
struct ImproveLaunchPlan {
  int32_t warps = 1;               // of a block
  int64_t warp_scratch_bytes = 0;  // of a warp
  int64_t shared_bytes = 0;        // of a block
  // Global memory for all warps, used if one warp's scratch does not fit into shared memory.
  int64_t global_scratch_bytes = 0;
  int64_t blocks(int32_t instances) const { return (int64_t{instances} + warps - 1) / warps; }
};

// Returns a plan with kMaxImproveWarps warps per block, halved until their scratch fits into shared
// memory. If not even one warp's scratch fits, the scratch is in global memory.
ImproveLaunchPlan PlanImproveLaunch(int32_t instances, int64_t warp_scratch_bytes,
                                    const DeviceLimits& limits);

}  // namespace vrp
