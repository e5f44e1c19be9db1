// How plans to improve are spread over a GPU's blocks, a warp each. Plain C++.
#pragma once

#include <cstdint>

#include "core/kernels/launch/launch_plan.h"

namespace vrp {

inline constexpr int32_t kMostImproveWarps = 4;

struct ImprovePlan {
  int32_t warps = 1;          // of a block
  int64_t room_bytes = 0;     // of a warp
  int64_t shared_bytes = 0;   // of a block
  int64_t scratch_bytes = 0;  // of global memory, where rooms do not fit into shared memory
  int64_t blocks(int32_t instances) const { return (int64_t{instances} + warps - 1) / warps; }
};

// As many warps a block as fit; rooms in shared memory, where one does.
ImprovePlan PlanImprove(int32_t instances, int64_t room_bytes, const DeviceLimits& limits);

}  // namespace vrp
