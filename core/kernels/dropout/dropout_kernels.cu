// The kernel that writes dropout masks: one launch per mask, one warp per row.
#include "core/kernels/dropout/dropout_launch.h"
#include "core/kernels/launch/kernel_launch.cuh"
#include "core/kernels/launch/slice_group.cuh"

namespace vrp {
namespace {

constexpr int32_t kWarpThreads = 32;   // number of threads of a warp
constexpr int32_t kWarpsPerBlock = 4;  // number of warps of a block

__global__ void __launch_bounds__(kWarpThreads* kWarpsPerBlock) MaskKernel(DropoutMask mask) {
  const int64_t row = int64_t{blockIdx.x} * kWarpsPerBlock + threadIdx.y;
  if (row >= int64_t{mask.length} * mask.sequences) return;
  WriteMaskRow(WarpLanes(), mask, row);
}

}  // namespace

cudaError_t LaunchMask(const DropoutMask& mask, cudaStream_t stream) {
  const LaunchShape shape = {.blocks = (mask.rows() + kWarpsPerBlock - 1) / kWarpsPerBlock,
                             .threads = dim3(kWarpThreads, kWarpsPerBlock)};
  return LaunchKernel(MaskKernel, shape, stream, mask);
}

}  // namespace vrp
