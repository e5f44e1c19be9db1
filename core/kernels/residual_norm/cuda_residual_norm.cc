// Residual connections with instance norms on the current CUDA device.
#include "core/kernels/launch/cuda_scratch.h"
#include "core/kernels/residual_norm/residual_norm.h"
#include "core/kernels/residual_norm/residual_norm_launch.h"

namespace vrp {

template <typename T>
absl::Status ResidualNormOnCuda(const ResidualNormInputs<T>& inputs,
                                const ResidualNormOutputs<T>& outputs, void* stream) {
  return CudaStatus(LaunchResidualNorm(inputs, outputs, static_cast<cudaStream_t>(stream)),
                    "instance norm");
}

template <typename T>
absl::Status ResidualNormBackwardOnCuda(const ResidualNormInputs<T>& inputs,
                                        const ResidualNormGradient<T>& gradient, void* stream) {
  return CudaStatus(LaunchResidualNormBackward(inputs, gradient, static_cast<cudaStream_t>(stream)),
                    "instance norm's gradient");
}

template absl::Status ResidualNormOnCuda(const ResidualNormInputs<float>&,
                                         const ResidualNormOutputs<float>&, void*);
template absl::Status ResidualNormOnCuda(const ResidualNormInputs<Bf16Value>&,
                                         const ResidualNormOutputs<Bf16Value>&, void*);
template absl::Status ResidualNormBackwardOnCuda(const ResidualNormInputs<float>&,
                                                 const ResidualNormGradient<float>&, void*);
template absl::Status ResidualNormBackwardOnCuda(const ResidualNormInputs<Bf16Value>&,
                                                 const ResidualNormGradient<Bf16Value>&, void*);

}  // namespace vrp
