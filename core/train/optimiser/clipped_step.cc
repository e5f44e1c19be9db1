#include "core/train/optimiser/clipped_step.h"

#include <cmath>
#include <utility>

#include "core/base/text.h"
#include "core/train/optimiser/learning_rate.h"

namespace vrp {

absl::StatusOr<double> TakeClippedStep(const TrainingConfig& config, int64_t step, CpuPool& pool,
                                       CpuPool* update_pool, FlatParameters& parameters,
                                       AdamW& adamw) {
  const double norm = GradientNorm(std::as_const(parameters).gradient(), &pool);
  if (!std::isfinite(norm)) {
    return absl::InternalError(Concat("step ", step + 1, ": the gradient is not finite; try a ",
                                      "lower training.learning_rate"));
  }
  const double scale = norm > config.gradient_clip ? config.gradient_clip / norm : 1;
  adamw.Step(parameters, LearningRateAt(config, step), scale, update_pool);
  return norm;
}

}  // namespace vrp
