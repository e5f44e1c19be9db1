// One launch walks all trajectories: a warp for each.
#include "core/kernels/cuda/follow_launch.h"
#include "core/kernels/cuda/kernel_launch.cuh"
#include "core/kernels/cuda/slice_group.cuh"

namespace vrp {
namespace {

constexpr int32_t kWarpThreads = 32;
constexpr int32_t kWarps = 4;

__global__ void __launch_bounds__(kWarpThreads* kWarps)
    FollowKernel(FollowRequest request, FollowResult<float> result) {
  const int64_t row = int64_t{blockIdx.x} * kWarps + threadIdx.y;
  if (row >= int64_t{request.instances} * request.trajectories) return;
  Follow(WarpLanes(), request, row, result);
}

}  // namespace

cudaError_t LaunchFollow(const FollowRequest& request, const FollowResult<float>& result,
                         cudaStream_t stream) {
  const LaunchShape shape = {.blocks = (request.rows() + kWarps - 1) / kWarps,
                             .threads = dim3(kWarpThreads, kWarps)};
  return LaunchKernel(FollowKernel, shape, stream, request, result);
}

}  // namespace vrp
