// Forced decoding and single steps on the current CUDA device.
#include "core/kernels/forced_decoding/forced_decoding.h"
#include "core/kernels/forced_decoding/forced_decoding_launch.h"
#include "core/kernels/launch/cuda_scratch.h"

namespace vrp {

absl::Status ForceDecodeOnCuda(const ForcedDecodingRequest& request,
                               const ForcedDecodingResult<float>& result, void* stream) {
  return CudaStatus(LaunchForcedDecoding(request, result, static_cast<cudaStream_t>(stream)),
                    "forced decoding");
}

absl::Status AdvanceOnCuda(const AdvanceRequest& request, const AdvanceResult<float>& result,
                           void* stream) {
  return CudaStatus(LaunchAdvance(request, result, static_cast<cudaStream_t>(stream)),
                    "sequence rollout");
}

}  // namespace vrp
