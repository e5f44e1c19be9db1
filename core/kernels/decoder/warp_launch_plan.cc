#include "core/kernels/decoder/warp_launch_plan.h"

#include <algorithm>

#include "core/kernels/decoder/decoder_scratch.h"

namespace vrp {
namespace {

// Minimum number of trajectories of a block, which share its copy of the rows.
constexpr int32_t kMinTrajectories = 4;
// Sizes of teams. A warp scores four nodes at a time.
constexpr int32_t kTeamWarps = 8;
constexpr int32_t kSmallTeamWarps = 4;
constexpr int32_t kNodesOfSmallTeams = 64;
// The hidden size for which kernels with rows in bf16 are compiled.
constexpr int32_t kBf16Hidden = 128;
// Number of blocks of a multiprocessor that hide each other's waits.
constexpr int32_t kBlocksPerMultiprocessor = 2;

int32_t QuotientRoundedUp(int32_t a, int32_t b) { return (a + b - 1) / b; }

bool FitsWarps(const DecoderShape& shape) {
  return shape.hidden % 32 == 0 && (shape.hidden & (shape.hidden - 1)) == 0 &&
         shape.hidden <= 256 && 32 % shape.heads == 0;
}

}  // namespace

WarpRolloutPlan PlanWarpRollout(const DecoderLaunchSize& size, const DeviceLimits& limits) {
  WarpRolloutPlan plan;
  if (!FitsWarps(size.shape) || size.trajectories == 0) return plan;
  const bool bf16 = size.bf16 && size.shape.hidden == kBf16Hidden;
  const int64_t rows = int64_t{3} * size.nodes * size.shape.hidden * (bf16 ? 2 : 4);
  const int64_t scratch = LayOutWarpScratch(size.nodes).bytes;
  if (size.trajectories < kMinTrajectories) {
    const int32_t warps = size.nodes > kNodesOfSmallTeams ? kTeamWarps : kSmallTeamWarps;
    const int64_t bytes = rows + TeamBytes(size.shape, warps) + scratch;
    if (bytes > limits.shared_bytes) return plan;
    return {.warps = warps,
            .team = true,
            .bf16 = bf16,
            .blocks_per_instance = size.trajectories,
            .shared_bytes = bytes};
  }
  const int64_t room = (limits.shared_bytes - rows) / scratch;
  if (rows > limits.shared_bytes || room == 0) return plan;
  const int32_t wanted = QuotientRoundedUp(kBlocksPerMultiprocessor * limits.multiprocessors,
                                           std::max(size.instances, 1));
  plan.blocks_per_instance =
      std::clamp(wanted, 1, QuotientRoundedUp(size.trajectories, kMinTrajectories));
  const int32_t share = QuotientRoundedUp(size.trajectories, plan.blocks_per_instance);
  const auto most = static_cast<int32_t>(std::min<int64_t>(room, kMaxDecoderWarps));
  // Warps take equally many trajectories.
  plan.warps = QuotientRoundedUp(share, QuotientRoundedUp(share, most));
  plan.bf16 = bf16;
  plan.shared_bytes = rows + plan.warps * scratch;
  return plan;
}

}  // namespace vrp
