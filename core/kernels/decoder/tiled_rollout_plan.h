// Plan of a rollout in tiles of 16 trajectories (tiled_rollout_kernels.cu). Does not depend on
// CUDA.
#pragma once

#include <cstdint>

#include "core/kernels/decoder/decoder_launch_plan.h"
#include "core/kernels/decoder/decoder_scratch.h"

namespace vrp {

// A plan in which block b of an instance decodes the trajectories p with
// p % blocks_per_instance == b.
struct TiledRolloutPlan {
  int32_t tiles = 0;  // of 8 nodes; 0: another kernel must decode this size
  int32_t blocks_per_instance = 1;
  int64_t shared_bytes = 0;  // of a block
};

// Plans a rollout. The plan has no tiles unless the rows are numbers of bf16, H is 128 with heads
// of 16 elements, and there are at most 104 nodes and at least 16 trajectories.
TiledRolloutPlan PlanTiledRollout(const DecoderLaunchSize& size, const DeviceLimits& limits);

// Lays out the scratch of a warp; its tanhs are elsewhere.
constexpr DecoderScratchLayout LayOutTileScratch(int32_t nodes) {
  DecoderScratchLayout layout;
  ScratchPieces pieces(layout.bytes);
  pieces.Take(1, sizeof(DecoderStepState<float>));
  layout.uniforms = pieces.Take(kDrawnSteps, sizeof(double));
  layout.exps = pieces.Take(nodes, sizeof(float));
  layout.visited = pieces.Take(nodes, 1);
  layout.allowed = pieces.Take(nodes, 1);
  return layout;
}

}  // namespace vrp
