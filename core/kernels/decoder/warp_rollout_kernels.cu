// Kernels of rollouts in which each warp decodes one trajectory at a time (warp_decoder.cuh).
#include "core/kernels/decoder/decoder_launch.h"
#include "core/kernels/decoder/warp_decoder.cuh"
#include "core/kernels/launch/device_intrinsics.cuh"
#include "core/kernels/launch/kernel_launch.cuh"

namespace vrp {
namespace {

// Copies rows of H floats that are `stride` apart to contiguous shared memory, by all threads.
template <typename Row>
__device__ void CopyRows(const float* from, int64_t stride, int32_t nodes, int32_t hidden,
                         Row* to) {
  const int32_t pieces = hidden / 4;
  const auto threads = static_cast<int32_t>(blockDim.x * blockDim.y);
  for (auto i = static_cast<int32_t>(threadIdx.y * blockDim.x + threadIdx.x); i < nodes * pieces;
       i += threads) {
    WritePiece(PieceOf<4>(from + i / pieces * stride, i % pieces), to, i);
  }
}

template <int32_t kPerLane, bool kTeam, typename Row>
__global__ void __launch_bounds__(kMaxDecoderWarps* WarpLanes::kLanes, 2)
    WarpRolloutKernel(DecoderBatch<float> batch, BatchRolloutRequest request,
                      BatchRolloutResult result, WarpRolloutPlan plan) {
  const int32_t instance = static_cast<int32_t>(blockIdx.x) / plan.blocks_per_instance;
  const int32_t block = static_cast<int32_t>(blockIdx.x) % plan.blocks_per_instance;
  const auto warp = static_cast<int32_t>(threadIdx.y);
  const DecoderTask<float> task = batch.MakeTask(instance);
  const DecoderNodes<const float>& from = task.nodes;
  const int32_t size = task.size() * task.hidden;
  auto* const rows = reinterpret_cast<Row*>(SharedBytes());
  CopyRows(from.keys, from.stride, task.size(), task.hidden, rows);
  CopyRows(from.values, from.stride, task.size(), task.hidden, rows + size);
  CopyRows(from.logit_keys, from.stride, task.size(), task.hidden, rows + 2 * size);
  auto* next = reinterpret_cast<float*>(rows + 3 * batch.nodes * task.hidden);
  DecoderWarp<kPerLane, kTeam, Row> group;
  if constexpr (kTeam) {
    group.warp = warp;
    group.warps = plan.warps;
    group.memory.done = reinterpret_cast<int32_t*>(next);
    group.memory.parts = next + 4;
    next += TeamBytes(batch.shape, plan.warps) / int64_t{sizeof(float)};
    if (warp == 0 && threadIdx.x == 0) *group.memory.done = 0;
  }
  const DecoderScratchLayout layout = LayOutWarpScratch(batch.nodes);
  const DecoderScratch<float> scratch = DecoderScratchAt<float>(
      layout, reinterpret_cast<uint8_t*>(next) + (kTeam ? 0 : warp) * layout.bytes);
  __syncthreads();
  if constexpr (kTeam) {
    if (warp != 0) {
      HelpTeam(group, task, scratch);
      return;
    }
  }
  const int32_t step = (kTeam ? 1 : plan.warps) * plan.blocks_per_instance;
  for (int32_t p = block + (kTeam ? 0 : warp) * plan.blocks_per_instance; p < request.trajectories;
       p += step) {
    const int64_t trajectory = int64_t{instance} * request.trajectories + p;
    RollOut(group, task, scratch, request, trajectory, result);
  }
  if constexpr (kTeam) EndTeam(group);
}

}  // namespace

cudaError_t LaunchWarpRollout(const DecoderBatch<float>& batch, const BatchRolloutRequest& request,
                              const BatchRolloutResult& result, const WarpRolloutPlan& plan,
                              cudaStream_t stream) {
  const LaunchShape shape = {.blocks = int64_t{batch.instances} * plan.blocks_per_instance,
                             .threads = dim3(WarpLanes::kLanes, static_cast<unsigned>(plan.warps)),
                             .shared_bytes = plan.shared_bytes};
  const auto launch = [&](auto alone, auto team) {
    return LaunchKernel(plan.team ? team : alone, shape, stream, batch, request, result, plan);
  };
  switch (batch.shape.hidden / WarpLanes::kLanes) {
    case 1:
      return launch(WarpRolloutKernel<1, false, float>, WarpRolloutKernel<1, true, float>);
    case 2:
      return launch(WarpRolloutKernel<2, false, float>, WarpRolloutKernel<2, true, float>);
    case 4:
      if (plan.bf16) {
        return launch(WarpRolloutKernel<4, false, Bf16Value>,
                      WarpRolloutKernel<4, true, Bf16Value>);
      }
      return launch(WarpRolloutKernel<4, false, float>, WarpRolloutKernel<4, true, float>);
    default:
      return launch(WarpRolloutKernel<8, false, float>, WarpRolloutKernel<8, true, float>);
  }
}

}  // namespace vrp
