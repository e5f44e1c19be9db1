#include "core/kernels/decoder/tiled_pass_plan.h"

#include <algorithm>

namespace vrp {
namespace {

// The compiled sizes of tiled_pass_kernels.cu. A block keeps a chunk's gradient in registers. With
// coarse products, registers also hold the gradient of all tiles.
struct TiledSize {
  int32_t tiles = 0;
  int32_t exact_sum_tiles = 0;
};
constexpr TiledSize kTiledSizes[] = {{2, 2}, {4, 4}, {7, 7}, {10, 5}, {13, 7}};

constexpr int32_t kWantedBlocksPerMultiprocessor = 2;

int64_t SharedBytesOf(const DecoderShape& shape, const TiledSize& size) {
  const int64_t rows = int64_t{3} * (int64_t{size.tiles} * kTileNodes + kTileRows);
  const int64_t turned = int64_t{shape.heads} * kTileRows * DotStride(RoundTilesOf(size.tiles));
  const int64_t floats = rows * RowStride(shape.hidden) +
                         int64_t{kTileRows} * DotStride(size.tiles) + turned +
                         int64_t{2} * kTileRows;
  return floats * int64_t{sizeof(float)} + kMaxTiledHeads * int64_t{sizeof(double)} +
         int64_t{2} * kTileRows * int64_t{sizeof(PassRow)};
}

}  // namespace

TiledPassPlan PlanTiledPass(const DecoderLaunchSize& size, const DeviceLimits& limits) {
  TiledPassPlan plan;
  const DecoderShape& shape = size.shape;
  if (shape.hidden != shape.heads * kTiledHead || shape.heads > kMaxTiledHeads) return plan;
  plan.exact = size.exact || shape.hidden != kUsualHidden;
  for (const TiledSize& one : kTiledSizes) {
    if (one.tiles * kTileNodes < size.nodes) continue;
    plan.shared_bytes = SharedBytesOf(shape, one);
    if (plan.shared_bytes > limits.shared_bytes) return plan;
    plan.tiles = one.tiles;
    plan.sum_tiles = plan.exact ? one.exact_sum_tiles : one.tiles;
    break;
  }
  if (plan.tiles == 0) return plan;
  plan.chunks = (plan.tiles + plan.sum_tiles - 1) / plan.sum_tiles;
  plan.ordered = size.deterministic;
  if (size.deterministic) return plan;
  const int32_t blocks = std::max(size.instances, 1) * plan.chunks;
  plan.parts = std::clamp(kWantedBlocksPerMultiprocessor * limits.multiprocessors / blocks, 1,
                          std::max(size.trajectories, 1));
  return plan;
}

}  // namespace vrp
