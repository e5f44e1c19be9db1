// Reads the history of routes that a training names.
#pragma once

#include "absl/status/statusor.h"
#include "core/habits/history.h"
#include "core/train/config/data_files.h"
#include "core/train/config/habits_config.h"

namespace vrp {

// Reads a history line by line. Returns kInvalidArgument naming file, line and field, and the
// errors of the disk.
absl::StatusOr<RouteHistory> ReadRouteHistory(const DataFile& file);

// Reads the history of a configuration and checks that it has enough days. Errors begin with the
// key, kHistoryKey.
absl::StatusOr<RouteHistory> ReadTrainingHistory(const HabitsConfig& config,
                                                 const DatasetPaths& datasets);

}  // namespace vrp
