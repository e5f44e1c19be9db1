#include "core/train/optimiser/learning_rate.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace vrp {
namespace {

// Returns the progress from the warm-up's end (0) to the last step (1).
double ScheduleProgress(const TrainingConfig& config, int64_t step) {
  const int64_t last = config.epochs * config.StepsPerEpoch() - 1 - config.warmup_steps;
  if (last <= 0) return 1;
  const int64_t done = std::clamp<int64_t>(step - config.warmup_steps, 0, last);
  return static_cast<double>(done) / static_cast<double>(last);
}

double Scheduled(const TrainingConfig& config, int64_t step) {
  const int64_t epoch = step / config.StepsPerEpoch();
  const double high = config.learning_rate;
  const double low = config.final_learning_rate;
  switch (config.schedule) {
    case Schedule::kConstant:
      break;
    case Schedule::kExponential:
      return high * std::pow(config.learning_rate_decay, static_cast<double>(epoch));
    case Schedule::kStep: {
      const auto passed =
          std::upper_bound(config.milestones.begin(), config.milestones.end(), epoch) -
          config.milestones.begin();
      return high * std::pow(config.learning_rate_decay, static_cast<double>(passed));
    }
    case Schedule::kLinear:
      return high + ScheduleProgress(config, step) * (low - high);
    case Schedule::kCosine:
      return low +
             (high - low) * (1 + std::cos(std::numbers::pi * ScheduleProgress(config, step))) / 2;
  }
  return high;
}

}  // namespace

double LearningRateAt(const TrainingConfig& config, int64_t step) {
  const double rate = Scheduled(config, step);
  if (step >= config.warmup_steps) return rate;
  return rate * static_cast<double>(step + 1) / static_cast<double>(config.warmup_steps);
}

}  // namespace vrp
