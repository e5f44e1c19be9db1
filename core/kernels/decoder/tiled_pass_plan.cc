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

// Returns the bytes of the arrays that blocks of all sizes have.
int64_t CommonBytesOf(const DecoderShape& shape, const TiledSize& size) {
  const int64_t floats =
      int64_t{kTileRows} * DotStride(size.tiles) + int64_t{kQuerySums} * shape.hidden;
  const int64_t doubles = kMaxTiledHeads + 4;
  return floats * int64_t{sizeof(float)} + doubles * int64_t{sizeof(double)} +
         int64_t{2} * kTileRows * int64_t{sizeof(PassRow)} + kTileInputBytes;
}

int64_t ExactBytesOf(const DecoderShape& shape, const TiledSize& size) {
  const int64_t rows = int64_t{3} * (int64_t{size.tiles} * kTileNodes + kTileRows);
  const int64_t turned = int64_t{shape.heads} * kTileRows * DotStride(RoundTilesOf(size.tiles));
  return (rows * RowStride(shape.hidden) + turned) * int64_t{sizeof(float)};
}

int64_t CoarseBytesOf(const DecoderShape& shape, const TiledSize& size) {
  const int64_t halves =
      int64_t{2} * HalfStride(shape.hidden) + HalfStride(PairedTiles(size.tiles) * kTileNodes);
  return HalfNodeBytes(size.tiles, shape.hidden) +
         kTileRows * (halves * int64_t{sizeof(uint16_t)} +
                      RowStride(shape.hidden) * int64_t{sizeof(float)});
}

}  // namespace

TiledPassPlan PlanTiledPass(const DecoderLaunchSize& size, const DeviceLimits& limits) {
  TiledPassPlan plan;
  const DecoderShape& shape = size.shape;
  if (shape.hidden != shape.heads * kTiledHead || shape.heads > kMaxTiledHeads) return plan;
  plan.exact = size.exact || shape.hidden != kUsualHidden;
  for (const TiledSize& one : kTiledSizes) {
    if (one.tiles * kTileNodes < size.nodes) continue;
    plan.shared_bytes = CommonBytesOf(shape, one) +
                        (plan.exact ? ExactBytesOf(shape, one) : CoarseBytesOf(shape, one));
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
