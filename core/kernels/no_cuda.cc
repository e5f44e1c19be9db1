// The launchers of every operation in a build without CUDA. Defines exactly the functions that
// tests/gpu/emulated/CMakeLists.txt compiles for its emulated device. With one function more, a
// program that links both would define the other functions twice.
#include "core/kernels/bias_gradient/bias_gradient.h"
#include "core/kernels/decoder/batch_decoder.h"
#include "core/kernels/dropout/dropout_mask.h"
#include "core/kernels/forced_decoding/forced_decoding.h"
#include "core/kernels/improve/batch_improver.h"
#include "core/kernels/instances/device_instances.h"
#include "core/kernels/optimiser/device_optimiser.h"
#include "core/kernels/residual_norm/residual_norm.h"

namespace vrp {

std::unique_ptr<BatchDecoder<float>> MakeCudaBatchDecoder(const CudaDecoderOptions&) {
  return nullptr;
}

std::unique_ptr<BatchImprover> MakeCudaBatchImprover(const CudaImproverOptions&) { return nullptr; }

absl::Status DrawInstancesOnCuda(const InstanceTask&, void*) {
  return absl::UnimplementedError(
      "instances: this program was built without CUDA: see ./dev build cuda");
}

absl::Status OptimiseOnCuda(const OptimiserTask&, void*) {
  return absl::UnimplementedError(
      "optimiser: this program was built without CUDA: see ./dev build cuda");
}

absl::Status WriteMaskOnCuda(const DropoutMask&, void*) {
  return absl::UnimplementedError(
      "dropout: this program was built without CUDA: see ./dev build cuda");
}

absl::Status ForceDecodeOnCuda(const ForcedDecodingRequest&, const ForcedDecodingResult<float>&,
                               void*) {
  return absl::UnimplementedError(
      "forced decoding: this program was built without CUDA: see ./dev build cuda");
}

absl::Status AdvanceOnCuda(const AdvanceRequest&, const AdvanceResult<float>&, void*) {
  return absl::UnimplementedError(
      "sequence rollout: this program was built without CUDA: see ./dev build cuda");
}

template <typename T>
absl::Status ResidualNormOnCuda(const ResidualNormInputs<T>&, const ResidualNormOutputs<T>&,
                                void*) {
  return absl::UnimplementedError(
      "instance norm: this program was built without CUDA: see ./dev build cuda");
}

template <typename T>
absl::Status ResidualNormBackwardOnCuda(const ResidualNormInputs<T>&,
                                        const ResidualNormGradient<T>&, void*) {
  return absl::UnimplementedError(
      "instance norm: this program was built without CUDA: see ./dev build cuda");
}

template absl::Status ResidualNormOnCuda(const ResidualNormInputs<float>&,
                                         const ResidualNormOutputs<float>&, void*);
template absl::Status ResidualNormOnCuda(const ResidualNormInputs<Bf16Value>&,
                                         const ResidualNormOutputs<Bf16Value>&, void*);
template absl::Status ResidualNormBackwardOnCuda(const ResidualNormInputs<float>&,
                                                 const ResidualNormGradient<float>&, void*);
template absl::Status ResidualNormBackwardOnCuda(const ResidualNormInputs<Bf16Value>&,
                                                 const ResidualNormGradient<Bf16Value>&, void*);

template <typename T>
absl::Status SumBiasGradientOnCuda(const BiasGradientTask<T>&, void*) {
  return absl::UnimplementedError(
      "gradient of a bias: this program was built without CUDA: see ./dev build cuda");
}

template absl::Status SumBiasGradientOnCuda(const BiasGradientTask<float>&, void*);
template absl::Status SumBiasGradientOnCuda(const BiasGradientTask<Bf16Value>&, void*);

}  // namespace vrp
