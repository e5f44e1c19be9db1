// What torch computes with: autocast, scaled losses for fp16, and torch's own switches. Needs
// torch.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <string>

#include "core/kernels/optimiser/optimiser_program.h"
#include "core/model/policy/engine_options.h"

namespace vrp {

// Autocast to `precision` on `device` while it lives; nothing for kFp32.
class AutocastScope {
 public:
  AutocastScope(at::DeviceType device, Precision precision);
  ~AutocastScope();
  AutocastScope(const AutocastScope&) = delete;
  AutocastScope& operator=(const AutocastScope&) = delete;

 private:
  const at::DeviceType device_;
  const bool on_;
  const bool was_on_;
  const at::ScalarType type_before_;
};

// Switches of the whole process: no attention by cuDNN, TF32 products, deterministic algorithms. A
// deterministic engine turns them on for all; none turns them off again, but TF32, which is as the
// last engine wants it.
void ApplyTorchSwitches(const EngineOptions& options);

// Keeps fp16 gradients from vanishing: the loss is multiplied by a scale that halves when a
// gradient overflows and doubles after `growth_interval` steps without (Micikevicius et al. 2018,
// with the rule of torch.amp.GradScaler, by the same operators). One thread.
class LossScaler {
 public:
  struct Options {
    double first_scale = 65536;
    double growth = 2;
    double backoff = 0.5;
    int64_t growth_interval = 2000;  // steps
  };

  LossScaler(const Options& options, at::Device device);
  explicit LossScaler(at::Device device) : LossScaler(Options(), device) {}

  at::Tensor Scale(const at::Tensor& loss) const;
  // Divides `gradient` by the scale and sets the scale of the next step. False: the gradient had
  // overflowed, it is 0 now and the step must be left out.
  bool Unscale(at::Tensor gradient);

  // The same memory and rule, for an optimiser that unscales on the device.
  LossScale OnDevice() const;

  // For checkpoints: "loss_scale", "loss_scale_steps" (since it last changed).
  std::map<std::string, double> ScalarState() const;
  void Restore(const std::map<std::string, double>& numbers);

 private:
  const Options options_;
  at::Tensor scale_;  // [] float32
  at::Tensor steps_;  // [] int32
};

}  // namespace vrp
