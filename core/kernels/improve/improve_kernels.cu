// A kernel that runs an ImproveRequest on all plans, one warp per plan.
#include "core/kernels/improve/improve_launch.h"
#include "core/kernels/launch/device_intrinsics.cuh"
#include "core/kernels/launch/kernel_launch.cuh"
#include "core/kernels/launch/slice_group.cuh"

namespace vrp {
namespace {

constexpr int32_t kWarpThreads = 32;  // number of threads of a warp

__global__ void __launch_bounds__(kWarpThreads* kMaxImproveWarps)
    ImproveKernel(ImproveBatch batch, ImproveRequest request, int64_t warp_scratch_bytes,
                  uint8_t* scratch) {
  const auto warp = static_cast<int32_t>(threadIdx.y);
  const auto number = static_cast<int32_t>(blockIdx.x * blockDim.y) + warp;
  if (number >= batch.instances) return;
  const ImproveTask task = batch.tasks[number];
  uint8_t* const warp_scratch = scratch == nullptr ? SharedBytes() + warp * warp_scratch_bytes
                                                   : scratch + number * warp_scratch_bytes;
  Improve(WarpLanes(), batch, ImproveScratchAt(task.nodes, task.routes, warp_scratch), request,
          number);
}

}  // namespace

cudaError_t LaunchImprove(const ImproveBatch& batch, const ImproveRequest& request,
                          const ImproveLaunch& launch) {
  const ImproveLaunchPlan& plan = launch.plan;
  const LaunchShape shape = {.blocks = plan.blocks(batch.instances),
                             .threads = dim3(kWarpThreads, static_cast<unsigned>(plan.warps)),
                             .shared_bytes = plan.shared_bytes};
  return LaunchKernel(ImproveKernel, shape, launch.stream, batch, request, plan.warp_scratch_bytes,
                      launch.scratch);
}

}  // namespace vrp
