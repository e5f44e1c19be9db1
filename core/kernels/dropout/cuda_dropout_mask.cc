// Dropout masks on the current CUDA device.
#include "core/kernels/dropout/dropout_launch.h"
#include "core/kernels/dropout/dropout_mask.h"
#include "core/kernels/launch/cuda_scratch.h"

namespace vrp {

absl::Status WriteMaskOnCuda(const DropoutMask& mask, void* stream) {
  return CudaStatus(LaunchMask(mask, static_cast<cudaStream_t>(stream)), "dropout");
}

}  // namespace vrp
