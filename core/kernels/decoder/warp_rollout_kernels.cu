// Kernels of rollouts in which each warp decodes one trajectory at a time (warp_decoder.cuh).
#include "core/kernels/decoder/decoder_launch.h"
#include "core/kernels/decoder/warp_decoder.cuh"
#include "core/kernels/launch/device_intrinsics.cuh"
#include "core/kernels/launch/kernel_launch.cuh"

namespace vrp {
namespace {

// Four elements, which a thread copies at once.
struct alignas(16) FourFloats {
  float values[4];
};

// Copies rows of H floats that are `stride` apart to contiguous shared memory, by all threads.
__device__ const float* CopyRows(const float* from, int64_t stride, int32_t nodes, int32_t hidden,
                                 float* to) {
  const int32_t pieces = hidden / 4;
  const auto threads = static_cast<int32_t>(blockDim.x * blockDim.y);
  for (auto i = static_cast<int32_t>(threadIdx.y * blockDim.x + threadIdx.x); i < nodes * pieces;
       i += threads) {
    const float* const row = from + i / pieces * stride;
    reinterpret_cast<FourFloats*>(to)[i] = reinterpret_cast<const FourFloats*>(row)[i % pieces];
  }
  return to;
}

template <int32_t kPerLane>
__global__ void __launch_bounds__(kMaxDecoderWarps* WarpLanes::kLanes, 2)
    WarpRolloutKernel(DecoderBatch<float> batch, BatchRolloutRequest request,
                      BatchRolloutResult result, WarpRolloutPlan plan) {
  const int32_t instance = static_cast<int32_t>(blockIdx.x) / plan.blocks_per_instance;
  const int32_t block = static_cast<int32_t>(blockIdx.x) % plan.blocks_per_instance;
  const auto warp = static_cast<int32_t>(threadIdx.y);
  DecoderTask<float> task = batch.MakeTask(instance);
  const int32_t size = task.size() * task.hidden;
  auto* const rows = reinterpret_cast<float*>(SharedBytes());
  DecoderNodes<const float>& from = task.nodes;
  from.keys = CopyRows(from.keys, from.stride, task.size(), task.hidden, rows);
  from.values = CopyRows(from.values, from.stride, task.size(), task.hidden, rows + size);
  from.logit_keys =
      CopyRows(from.logit_keys, from.stride, task.size(), task.hidden, rows + 2 * size);
  task.row_stride = task.hidden;
  const DecoderScratchLayout layout = LayOutWarpScratch(batch.nodes);
  const DecoderScratch<float> scratch = DecoderScratchAt<float>(
      layout, SharedBytes() + int64_t{3} * batch.nodes * task.hidden * int64_t{sizeof(float)} +
                  warp * layout.bytes);
  __syncthreads();
  for (int32_t p = block + warp * plan.blocks_per_instance; p < request.trajectories;
       p += plan.warps * plan.blocks_per_instance) {
    const int64_t trajectory = int64_t{instance} * request.trajectories + p;
    RollOut(DecoderWarp<kPerLane>(), task, scratch, request, trajectory,
            result.At(trajectory, request.max_steps));
  }
}

}  // namespace

cudaError_t LaunchWarpRollout(const DecoderBatch<float>& batch, const BatchRolloutRequest& request,
                              const BatchRolloutResult& result, const WarpRolloutPlan& plan,
                              cudaStream_t stream) {
  const LaunchShape shape = {.blocks = int64_t{batch.instances} * plan.blocks_per_instance,
                             .threads = dim3(WarpLanes::kLanes, static_cast<unsigned>(plan.warps)),
                             .shared_bytes = plan.shared_bytes};
  const auto launch = [&](auto kernel) {
    return LaunchKernel(kernel, shape, stream, batch, request, result, plan);
  };
  switch (batch.shape.hidden / WarpLanes::kLanes) {
    case 1:
      return launch(WarpRolloutKernel<1>);
    case 2:
      return launch(WarpRolloutKernel<2>);
    case 4:
      return launch(WarpRolloutKernel<4>);
    default:
      return launch(WarpRolloutKernel<8>);
  }
}

}  // namespace vrp
