// Dropout's masks on the current CUDA device.
#include "core/kernels/cuda/cuda_scratch.h"
#include "core/kernels/cuda/dropout_launch.h"
#include "core/kernels/dropout_mask.h"

namespace vrp {

absl::Status WriteMaskOnCuda(const DropoutMask& mask, void* stream) {
  return CudaStatus(LaunchMask(mask, static_cast<cudaStream_t>(stream)), "dropout");
}

}  // namespace vrp
