// Gradients of biases on the current CUDA device.
#include "core/kernels/bias_gradient/bias_gradient.h"
#include "core/kernels/bias_gradient/bias_gradient_launch.h"
#include "core/kernels/launch/cuda_scratch.h"

namespace vrp {

template <typename T>
absl::Status SumBiasGradientOnCuda(const BiasGradientTask<T>& task, void* stream) {
  return CudaStatus(LaunchBiasGradient(task, static_cast<cudaStream_t>(stream)),
                    "gradient of a bias");
}

template absl::Status SumBiasGradientOnCuda(const BiasGradientTask<float>&, void*);
template absl::Status SumBiasGradientOnCuda(const BiasGradientTask<Bf16Value>&, void*);

}  // namespace vrp
