#include "core/train/config/log_days.h"

#include "core/base/text.h"

namespace vrp {

absl::StatusOr<int64_t> TrainingDaysOf(const DispatchConfig& config, int64_t days) {
  const int64_t wanted = config.log_days > 0 ? config.log_days : kFewestLogDays;
  if (days >= wanted + config.validation_days) {
    return config.log_days > 0 ? config.log_days : days - config.validation_days;
  }
  return absl::InvalidArgumentError(
      Concat("has ", days, " days, wanted at least ", wanted + config.validation_days, ": ", wanted,
             " to train on (dispatch.days) and ", config.validation_days,
             " to validate (validation.days); lower these, or give a longer log"));
}

absl::Status CheckHistoryDays(const HabitsConfig& config, int64_t days) {
  if (days > config.validation_days) return absl::OkStatus();
  return absl::InvalidArgumentError(
      Concat("has ", days, days == 1 ? " day" : " days", " with routes, wanted at least ",
             config.validation_days + 1, ": ", config.validation_days,
             " to validate (validation.days) and one to learn from; lower it, or give a longer "
             "history"));
}

}  // namespace vrp
