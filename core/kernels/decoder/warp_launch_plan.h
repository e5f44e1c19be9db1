// Plan of a rollout in which each warp decodes one trajectory at a time. Does not depend on CUDA.
#pragma once

#include <cstdint>

#include "core/kernels/decoder/decoder_launch_plan.h"

namespace vrp {

// Maximum number of warps of a block.
inline constexpr int32_t kMaxDecoderWarps = 16;

// A plan in which block b of an instance decodes the trajectories p with
// p % blocks_per_instance == b: its warps in turn, or all together as a team. Shared memory holds
// the keys, values and logit keys, then the team's memory, and then the warps' scratch.
struct WarpRolloutPlan {
  int32_t warps = 0;  // of a block; 0: the general kernel must decode this size
  bool team = false;
  bool bf16 = false;  // whether shared memory holds the rows in bf16
  int32_t blocks_per_instance = 1;
  int64_t shared_bytes = 0;  // of a block
};

// Returns the bytes of a team's TeamMemory, before which shared memory holds the rows.
constexpr int64_t TeamBytes(const DecoderShape& shape, int32_t warps) {
  return (int64_t{warps} * (2 + shape.hidden / 32) * 32 + 4) * int64_t{sizeof(float)};
}

// Plans a rollout. The plan has no warps unless H is 32, 64, 128 or 256, M divides 32, and shared
// memory holds the instance's rows.
WarpRolloutPlan PlanWarpRollout(const DecoderLaunchSize& size, const DeviceLimits& limits);

}  // namespace vrp
