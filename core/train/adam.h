// Adam (Kingma and Ba 2015) over a network's flat parameters. Needs torch.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "core/model/parameter_store.h"

namespace vrp {

class Adam {
 public:
  explicit Adam(const ParameterStore& parameters);

  // Scales the gradient down to `limit` where its norm exceeds it; returns the norm before.
  static double ClipGradient(ParameterStore& parameters, double limit);
  // One step along parameters.gradient().
  void Step(ParameterStore& parameters, double learning_rate);

  int64_t steps() const;
  void set_steps(int64_t steps);
  // Both moments, [size] each; for checkpoints.
  at::Tensor& mean() { return mean_; }
  at::Tensor& square() { return square_; }

 private:
  at::Tensor mean_;
  at::Tensor square_;
  at::Tensor steps_;  // [] float32, as the fused operator wants it
};

}  // namespace vrp
