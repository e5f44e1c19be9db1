// Kernels of rollouts in tiles: 16 trajectories of an instance take each step together. A warp
// decodes one trajectory; the first M warps also score the steps of all, a head each
// (tiled_pass_half.cuh).
#include "core/kernels/decoder/decoder_launch.h"
#include "core/kernels/decoder/tiled_pass_half.cuh"
#include "core/kernels/decoder/tiled_queries.cuh"
#include "core/kernels/decoder/warp_decoder.cuh"
#include "core/kernels/launch/kernel_launch.cuh"

namespace vrp {
namespace {

// A warp whose steps a tile scores: scratch.tanhs is its row of the tile's dot products.
struct TileWarp : WarpGroup {
  PassRow* row = nullptr;
};

__device__ void FindAllowed(const TileWarp& warp, const DecoderTask<float>& task,
                            const DecoderScratch<float>& scratch) {
  FindAllowedInWarp(task, scratch, [&](int32_t word, uint32_t bits) {
    if (LaneOfWarp() == word) warp.row->allowed[word] = bits;
  });
}

__device__ void ScoreStep(const TileWarp&, const DecoderTask<float>& task,
                          const DecoderScratch<float>& scratch) {
  ScoreDots(task, scratch);
}

// The trajectories that a warp decodes one after the other.
class TileSlot {
 public:
  // Decodes trajectory p of the instance, then every step-th one.
  __device__ TileSlot(const BatchRolloutRequest& request, const BatchRolloutResult& results,
                      int64_t instance, int32_t p, int32_t step)
      : request_(request), results_(results), instance_(instance), p_(p), step_(step) {}

  // Goes on to the next step that must be scored, and writes its row. Writes a row without nodes
  // after the last trajectory.
  __device__ void Next(const TileWarp& warp, const DecoderTask<float>& task,
                       const DecoderScratch<float>& scratch) {
    bool scored = false;
    while (!scored && p_ < request_.trajectories) {
      if (!begun_) {
        run_ = BeginRollout(warp, task, scratch, request_, instance_ * request_.trajectories + p_,
                            results_);
        begun_ = true;
      }
      scored = NextScoredStep(warp, task, scratch, request_, run_);
      if (scored) continue;
      EndRollout(warp, scratch, request_, run_);
      begun_ = false;
      p_ += step_;
    }
    warp.Wait();  // all lanes have read the last row
    const int32_t lane = LaneOfWarp();
    if (lane < kContextShares && scored) warp.row->shares[lane] = scratch.step->shares[lane];
    if (lane < kPassMaskWords && !scored) warp.row->allowed[lane] = 0;
    if (lane != 0) return;
    warp.row->allowed_count = scored ? scratch.step->allowed : 0;
    warp.row->current = scored ? scratch.step->state.current : 0;
    warp.row->first = scored ? scratch.step->state.first : -1;
  }

  // Chooses the node of the scored step and takes it.
  __device__ void Choose(const TileWarp& warp, const DecoderTask<float>& task,
                         const DecoderScratch<float>& scratch) {
    ChooseStep(warp, task, scratch, request_.choice, run_);
    TakeChoice(warp, task, scratch, run_);
  }

 private:
  const BatchRolloutRequest& request_;
  const BatchRolloutResult& results_;
  const int64_t instance_;
  int32_t p_;
  const int32_t step_;
  bool begun_ = false;
  TrajectoryRun<float> run_;
};

// Cuts a block's shared memory: the tile's arrays, of which rollouts use a part, then the warps'
// scratch.
template <typename Size>
__device__ TileMemory<Fp16Bits> CutRolloutMemory(const DecoderTask<float>& task,
                                                 uint8_t** scratch) {
  const int32_t stride = Size::StrideOf(task);
  TileMemory<Fp16Bits> memory;
  memory.rows = reinterpret_cast<PassRow*>(SharedBytes());
  memory.keys = reinterpret_cast<Fp16Bits*>(memory.rows + kTileRows);
  memory.values = memory.keys + Size::kNodeRows * stride;
  memory.logit_keys = memory.values + Size::kNodeRows * stride;
  memory.queries = memory.logit_keys + Size::kNodeRows * stride;
  memory.glimpses = memory.queries + kTileRows * stride;
  memory.dots = reinterpret_cast<float*>(memory.glimpses + kTileRows * stride);
  *scratch = reinterpret_cast<uint8_t*>(memory.dots + kTileRows * DotStride(Size::kTiles));
  return memory;
}

template <typename Size>
__global__ void __launch_bounds__(kTileRows* WarpLanes::kLanes, 1)
    TiledRolloutKernel(DecoderBatch<float> batch, BatchRolloutRequest request,
                       BatchRolloutResult results, TiledRolloutPlan plan) {
  const int32_t instance = static_cast<int32_t>(blockIdx.x) / plan.blocks_per_instance;
  const int32_t block = static_cast<int32_t>(blockIdx.x) % plan.blocks_per_instance;
  const auto warp = static_cast<int32_t>(threadIdx.y);
  const DecoderTask<float> task = batch.MakeTask(instance);
  uint8_t* next = nullptr;
  const TileMemory<Fp16Bits> memory = CutRolloutMemory<Size>(task, &next);
  CopyNodes<Size>(task, kTileRows * WarpLanes::kLanes, memory);
  const DecoderScratchLayout layout = LayOutTileScratch(batch.nodes);
  DecoderScratch<float> scratch = DecoderScratchAt<float>(layout, next + warp * layout.bytes);
  scratch.tanhs = memory.dots + warp * DotStride(Size::kTiles);
  TileWarp group;
  group.row = memory.rows + warp;
  for (int32_t word = 0; word < kPassMaskWords; ++word) {
    if (LaneOfWarp() == word) group.row->allowed[word] = 0;
  }
  __syncwarp();
  const bool scores = warp < Size::HeadsOf(task);
  HalfTileHead<Size> head(task, memory, warp);
  TileSlot slot(request, results, instance, block + warp * plan.blocks_per_instance,
                kTileRows * plan.blocks_per_instance);
  while (true) {
    slot.Next(group, task, scratch);
    __syncthreads();
    bool any = false;
    for (int32_t r = 0; r < kTileRows; ++r) any = any || memory.rows[r].allowed_count > 0;
    if (!any) return;
    if (scores) {
      WriteQueries<Size>(task, memory.rows, memory.queries);
      __syncwarp();
      head.Attend(memory.rows);
    }
    __syncthreads();
    if (scores) head.WriteDots();
    __syncthreads();
    if (group.row->allowed_count > 0) slot.Choose(group, task, scratch);
  }
}

}  // namespace

cudaError_t LaunchTiledRollout(const DecoderBatch<float>& batch, const BatchRolloutRequest& request,
                               const BatchRolloutResult& result, const TiledRolloutPlan& plan,
                               cudaStream_t stream) {
  const LaunchShape shape = {.blocks = int64_t{batch.instances} * plan.blocks_per_instance,
                             .threads = dim3(WarpLanes::kLanes, kTileRows),
                             .shared_bytes = plan.shared_bytes};
  const auto launch = [&](auto kernel) {
    return LaunchKernel(kernel, shape, stream, batch, request, result, plan);
  };
  switch (plan.tiles) {
    case 4:
      return launch(TiledRolloutKernel<TiledPassSize<4, 4, kUsualHidden, false>>);
    case 7:
      return launch(TiledRolloutKernel<TiledPassSize<7, 7, kUsualHidden, false>>);
    case 10:
      return launch(TiledRolloutKernel<TiledPassSize<10, 10, kUsualHidden, false>>);
    default:
      return launch(TiledRolloutKernel<TiledPassSize<13, 13, kUsualHidden, false>>);
  }
}

}  // namespace vrp
