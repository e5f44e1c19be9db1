// Autocast, scaled losses for fp16, and torch's global switches. Needs torch.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <string>

#include "core/kernels/optimiser/optimiser_program.h"
#include "core/model/policy/engine_options.h"

namespace vrp {

// A scope that enables autocast to `precision` on `device`; it does nothing for kFp32.
class AutocastScope {
 public:
  AutocastScope(at::DeviceType device, Precision precision);
  ~AutocastScope();
  AutocastScope(const AutocastScope&) = delete;
  AutocastScope& operator=(const AutocastScope&) = delete;

 private:
  const at::DeviceType device_;
  const bool on_;      // whether this scope enables autocast
  const bool was_on_;  // whether autocast was enabled before
  const at::ScalarType type_before_;
};

// Sets switches of the whole process: no attention by cuDNN, TF32 products, deterministic
// algorithms. Once a deterministic engine has enabled deterministic algorithms, they stay enabled
// for all engines. The last engine determines TF32.
void ApplyTorchSwitches(const EngineOptions& options);

// A scaler that keeps fp16 gradients from vanishing. The loss is multiplied by a scale. The scale
// is multiplied by `backoff` when a gradient overflows, and by `growth` after `growth_interval`
// steps without overflow. See Micikevicius et al. 2018; rule and operators are those of
// torch.amp.GradScaler. Not thread-safe.
class LossScaler {
 public:
  struct Options {
    double first_scale = 65536;
    double growth = 2;
    double backoff = 0.5;
    int64_t growth_interval = 2000;  // number of steps
  };

  LossScaler(const Options& options, at::Device device);
  explicit LossScaler(at::Device device) : LossScaler(Options(), device) {}

  at::Tensor Scale(const at::Tensor& loss) const;
  // Divides `gradient` by the scale and updates the scale. Returns false if the gradient had
  // overflowed. The gradient is then 0, and the step must be skipped.
  bool Unscale(at::Tensor gradient);

  // Returns the scale's memory and rule for an optimiser that unscales on the device.
  LossScale OnDevice() const;

  // Returns the state for checkpoints: "loss_scale", "loss_scale_steps" (since its last change).
  std::map<std::string, double> ScalarState() const;
  void Restore(const std::map<std::string, double>& numbers);

 private:
  const Options options_;
  at::Tensor scale_;  // [] float32
  at::Tensor steps_;  // [] int32
};

}  // namespace vrp
