// Kernels of forced decoding and of single steps: one warp per trajectory.
#include "core/kernels/forced_decoding/forced_decoding_launch.h"
#include "core/kernels/launch/kernel_launch.cuh"
#include "core/kernels/launch/slice_group.cuh"

namespace vrp {
namespace {

constexpr int32_t kWarpThreads = 32;   // number of threads of a warp
constexpr int32_t kWarpsPerBlock = 4;  // number of warps of a block

__global__ void __launch_bounds__(kWarpThreads* kWarpsPerBlock)
    ForcedDecodingKernel(ForcedDecodingRequest request, ForcedDecodingResult<float> result) {
  const int64_t row = int64_t{blockIdx.x} * kWarpsPerBlock + threadIdx.y;
  if (row >= int64_t{request.instances} * request.trajectories) return;
  ForceDecode(WarpLanes(), request, row, result);
}

__global__ void __launch_bounds__(kWarpThreads* kWarpsPerBlock)
    AdvanceKernel(AdvanceRequest request, AdvanceResult<float> result) {
  const int64_t row = int64_t{blockIdx.x} * kWarpsPerBlock + threadIdx.y;
  if (row >= int64_t{request.instances} * request.trajectories) return;
  Advance(WarpLanes(), request, row, result);
}

LaunchShape WarpPerRow(int64_t rows) {
  return {.blocks = (rows + kWarpsPerBlock - 1) / kWarpsPerBlock,
          .threads = dim3(kWarpThreads, kWarpsPerBlock)};
}

}  // namespace

cudaError_t LaunchForcedDecoding(const ForcedDecodingRequest& request,
                                 const ForcedDecodingResult<float>& result, cudaStream_t stream) {
  return LaunchKernel(ForcedDecodingKernel, WarpPerRow(request.rows()), stream, request, result);
}

cudaError_t LaunchAdvance(const AdvanceRequest& request, const AdvanceResult<float>& result,
                          cudaStream_t stream) {
  return LaunchKernel(AdvanceKernel, WarpPerRow(request.rows()), stream, request, result);
}

}  // namespace vrp
