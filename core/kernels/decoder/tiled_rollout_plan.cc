#include "core/kernels/decoder/tiled_rollout_plan.h"

#include <algorithm>

#include "core/kernels/decoder/tiled_pass_plan.h"

namespace vrp {
namespace {

// The compiled sizes of tiled_rollout_kernels.cu.
constexpr int32_t kRolloutTiles[] = {4, 7, 10, 13};

}  // namespace

TiledRolloutPlan PlanTiledRollout(const DecoderLaunchSize& size, const DeviceLimits& limits) {
  TiledRolloutPlan plan;
  const DecoderShape& shape = size.shape;
  const bool fits = size.bf16 && shape.hidden == kUsualHidden &&
                    shape.heads * kTiledHead == kUsualHidden && size.trajectories >= kTileRows;
  const auto* const tiles = std::ranges::find_if(
      kRolloutTiles, [&](int32_t one) { return one * kTileNodes >= size.nodes; });
  if (!fits || tiles == std::end(kRolloutTiles)) return plan;
  const int64_t bytes_per_row = int64_t{2} * HalfStride(shape.hidden) * int64_t{sizeof(uint16_t)} +
                                DotStride(*tiles) * int64_t{sizeof(float)} +
                                int64_t{sizeof(PassRow)} + LayOutTileScratch(size.nodes).bytes;
  plan.shared_bytes = HalfNodeBytes(*tiles, shape.hidden) + kTileRows * bytes_per_row;
  if (plan.shared_bytes > limits.shared_bytes) return plan;
  plan.tiles = *tiles;
  plan.blocks_per_instance = std::clamp(limits.multiprocessors / std::max(size.instances, 1), 1,
                                        (size.trajectories + kTileRows - 1) / kTileRows);
  return plan;
}

}  // namespace vrp
