// The optimiser on the current CUDA device.
#include "core/kernels/cuda/cuda_scratch.h"
#include "core/kernels/cuda/optimiser_launch.h"
#include "core/kernels/device_optimiser.h"

namespace vrp {

absl::Status OptimiseOnCuda(const OptimiserTask& task, void* stream) {
  return CudaStatus(LaunchOptimiser(task, static_cast<cudaStream_t>(stream)), "optimiser");
}

}  // namespace vrp
