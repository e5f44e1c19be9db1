#include "core/train/adam.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

namespace vrp {

Adam::Adam(const ParameterStore& parameters)
    : mean_(at::zeros_like(parameters.flat())),
      square_(at::zeros_like(parameters.flat())),
      steps_(at::zeros({}, parameters.flat().options().dtype(at::kFloat))) {}

double Adam::ClipGradient(ParameterStore& parameters, double limit) {
  const c10::NoGradGuard no_gradients;
  const double norm = parameters.gradient().norm().item<double>();
  if (norm > limit) parameters.gradient().mul_(limit / norm);
  return norm;
}

void Adam::Step(ParameterStore& parameters, double learning_rate) {
  const c10::NoGradGuard no_gradients;
  constexpr double kBeta1 = 0.9;
  constexpr double kBeta2 = 0.999;
  constexpr double kEpsilon = 1e-8;
  steps_.add_(1);
  at::_fused_adamw_({parameters.flat()}, {parameters.gradient()}, {mean_}, {square_}, {}, {steps_},
                    learning_rate, kBeta1, kBeta2, /*weight_decay=*/0, kEpsilon,
                    /*amsgrad=*/false, /*maximize=*/false);
}

int64_t Adam::steps() const { return static_cast<int64_t>(steps_.item<float>()); }
void Adam::set_steps(int64_t steps) {
  const c10::NoGradGuard no_gradients;
  steps_.fill_(static_cast<double>(steps));
}

}  // namespace vrp
