// An AdamW optimiser whose state is on an engine's device. Needs torch.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>

#include "absl/status/status.h"
#include "core/kernels/optimiser/device_optimiser.h"
#include "core/model/policy/captured_steps.h"
#include "core/model/torch/parameters.h"
#include "core/model/torch/precision.h"

namespace vrp {

// The options of a DeviceOptimiser.
struct DeviceOptimiserOptions {
  AdamWOptions adamw;
  double clip = 1;                         // maximum norm of the gradient
  double average_decay = 0;                // decay of the weights' moving average; 0: no average
  std::span<const double> learning_rates;  // one per step, at least one; later steps use the last
};

// AdamW with clipping of the gradient. The step counts, moments and average are in the device's
// memory.
class DeviceOptimiser {
 public:
  // Allocates the state on the device of `parameters`, which must be float32. `parameters` and
  // `scaler` must outlive this object. TrackGradient must have been called on the parameters. A
  // null `scaler` means that losses are not scaled.
  DeviceOptimiser(const TorchParameters& parameters, const ParameterLayout& layout,
                  const DeviceOptimiserOptions& options, const LossScaler* scaler);

  // Copies step counts, moments and the weights' average from `state`. Blocks until the copy is
  // done.
  void Load(const CapturedStepsState& state);
  // Copies the same values to `state`. Blocks until the copy is done.
  void Save(CapturedStepsState& state) const;

  // Enqueues one step on the current CUDA stream. On the CPU, runs the step before returning.
  // `loss` is [] double. Returns the errors of OptimiseOnCuda.
  absl::Status Step(const at::Tensor& loss) const;

  // Returns the address of the number of finished steps, in the device's memory.
  const int64_t* steps() const;
  // The next three functions return results of the last step, in the device's memory.
  at::Tensor Steps() const;    // [] int64
  at::Tensor Norm() const;     // [] double
  at::Tensor Applied() const;  // [] int32

 private:
  OptimiserState* state() const;
  OptimiserTask Task(const at::Tensor& loss) const;

  const TorchParameters& parameters_;
  const DeviceOptimiserOptions options_;  // without the learning rates
  const LossScaler* const scaler_;
  const at::Tensor mean_;
  const at::Tensor square_;
  at::Tensor average_;  // undefined without an average
  at::Tensor pieces_;
  at::Tensor sums_;
  const at::Tensor rates_;
  const at::Tensor state_;  // an OptimiserState, as bytes
};

}  // namespace vrp
