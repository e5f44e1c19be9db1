#include "core/train/data/past_routes.h"

#include <utility>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/train/config/log_days.h"
#include "core/train/data/json_lines.h"

namespace vrp {

absl::StatusOr<RouteHistory> ReadRouteHistory(const DataFile& file) {
  RouteHistoryBuilder builder;
  VRP_RETURN_IF_ERROR(
      ForEachLine(file, [&](std::string_view line, int64_t number) -> absl::StatusOr<bool> {
        const absl::Status added = builder.Add(line);
        if (!added.ok()) return RouteLineError(file.name, number, added);
        return true;
      }));
  return std::move(builder).Take();
}

absl::StatusOr<RouteHistory> ReadTrainingHistory(const HabitsConfig& config,
                                                 const DatasetPaths& datasets) {
  absl::StatusOr<RouteHistory> history = ReadRouteHistory(FindDataFile(config.history, datasets));
  if (!history.ok()) {
    return absl::Status(history.status().code(),
                        Concat(kHistoryKey, ": ", FromAbsl(history.status().message())));
  }
  const absl::Status days = CheckHistoryDays(config, CountDays(history->routes));
  if (days.ok()) return history;
  return absl::Status(days.code(),
                      Concat(kHistoryKey, ": ", config.history, ": ", FromAbsl(days.message())));
}

}  // namespace vrp
