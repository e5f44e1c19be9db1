// The optimiser's memory on an engine's device. Needs torch.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>

#include "absl/status/status.h"
#include "core/kernels/device_optimiser.h"
#include "core/model/torch_parameters.h"
#include "core/model/torch_precision.h"

namespace vrp {

struct DeviceOptimiserOptions {
  AdamWOptions adamw;
  double clip = 1;
  std::span<const double> learning_rates;  // of each step, at least one
};

class DeviceOptimiser {
 public:
  // In float32. `parameters`, whose gradient is tracked, and `scaler` (null: losses are not scaled)
  // outlive it.
  DeviceOptimiser(const TorchParameters& parameters, const ParameterLayout& layout,
                  const DeviceOptimiserOptions& options, const LossScaler* scaler);

  // Both wait for the device.
  void Load(int64_t steps, int64_t updates, std::span<const float> mean,
            std::span<const float> square);
  OptimiserState Save(std::span<float> mean, std::span<float> square) const;

  // One step, put into the current stream. `loss` [] double.
  absl::Status Step(const at::Tensor& loss) const;

  // On the device: how many steps were begun, and what became of the last one.
  const int64_t* steps() const;
  at::Tensor Steps() const;    // [] int64
  at::Tensor Norm() const;     // [] double
  at::Tensor Applied() const;  // [] int32

 private:
  OptimiserState* state() const;

  const TorchParameters& parameters_;
  const DeviceOptimiserOptions options_;  // but for the learning rates
  const LossScaler* const scaler_;
  const at::Tensor mean_;
  const at::Tensor square_;
  at::Tensor pieces_;
  at::Tensor sums_;
  const at::Tensor rates_;
  const at::Tensor state_;  // bytes
};

}  // namespace vrp
