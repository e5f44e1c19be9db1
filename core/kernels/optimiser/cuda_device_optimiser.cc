// The optimiser on the current CUDA device.
#include "core/kernels/launch/cuda_scratch.h"
#include "core/kernels/optimiser/device_optimiser.h"
#include "core/kernels/optimiser/optimiser_launch.h"

namespace vrp {

absl::Status OptimiseOnCuda(const OptimiserTask& task, void* stream) {
  return CudaStatus(LaunchOptimiser(task, static_cast<cudaStream_t>(stream)), "optimiser");
}

}  // namespace vrp
