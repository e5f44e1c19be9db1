#include "core/jobs/progress_scalars.h"

#include <cmath>
#include <string>
#include <string_view>

#include "absl/strings/ascii.h"
#include "core/base/text.h"

namespace vrp {

namespace {

// Returns a tag such as "validation/gap_vs_nearest_neighbour", so that no chart mixes references.
std::string GapTag(std::string_view reference) {
  std::string tag = "validation/gap";
  if (!reference.empty()) tag += "_vs_";
  for (const char c : reference) {
    if (c != '\'') tag += absl::ascii_isalnum(static_cast<unsigned char>(c)) ? c : '_';
  }
  return tag;
}

}  // namespace

std::vector<TensorBoardScalar> ProgressScalars(const TrainingProgress& progress,
                                               const TrainingTotals& before) {
  std::vector<TensorBoardScalar> scalars = {
      {"loss", progress.loss},
      {"cost/train", progress.train_cost},
      {"cost/validation", progress.validation_cost},
      {GapTag(progress.reference), progress.validation_gap},
      {"accuracy/train", progress.accuracy},
      {"accuracy/validation", progress.validation_accuracy},
      {"optimiser/learning_rate", progress.learning_rate},
      {"optimiser/gradient_norm", progress.gradient_norm},
      {"speed/instances_per_second", progress.instances_per_second},
      {"speed/seconds_per_step", progress.seconds_per_step},
      {"speed/seconds_per_epoch", progress.seconds_per_epoch},
      {"pass_difference", progress.pass_difference},
  };
  if (progress.device_utilization.has_value()) {
    scalars.push_back({"device/utilization", *progress.device_utilization});
  }
  if (progress.device_memory_used_bytes.has_value()) {
    scalars.push_back({"device/memory_used_gib",
                       std::ldexp(static_cast<double>(*progress.device_memory_used_bytes), -30)});
  }
  const int64_t steps = progress.totals.steps - before.steps;
  if (steps <= 0) return scalars;
  for (size_t phase = 0; phase < kPhaseNames.size(); ++phase) {
    const double seconds = progress.totals.phase_seconds[phase] - before.phase_seconds[phase];
    scalars.push_back(
        {Concat("phase_ms/", kPhaseNames[phase]), 1000 * seconds / static_cast<double>(steps)});
  }
  return scalars;
}

}  // namespace vrp
