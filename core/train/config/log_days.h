// The days of a request log or a history of routes that a training uses.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "core/train/config/dispatch_config.h"
#include "core/train/config/habits_config.h"

namespace vrp {

// Smallest number of days to train on: each draws requests to come from the others.
inline constexpr int64_t kFewestLogDays = 2;

// Returns the number of days to train on, the first ones of a log of `days` days: those of
// dispatch.days, or all before the validation.days last ones. Returns kInvalidArgument if the log
// is too short.
absl::StatusOr<int64_t> TrainingDaysOf(const DispatchConfig& config, int64_t days);

// Returns kInvalidArgument if a history of `days` days has no day before the validation.days last
// ones.
absl::Status CheckHistoryDays(const HabitsConfig& config, int64_t days);

}  // namespace vrp
