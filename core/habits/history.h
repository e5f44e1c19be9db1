// Histories of routes: what drivers did on past days.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "absl/status/statusor.h"
#include "core/habits/habit_model.h"
#include "core/habits/route_line.h"

namespace vrp {

// A stop of a past route.
struct PastStop {
  int32_t id = -1;  // index of RouteHistory::ids; -1: it has none
  // The position on this line; if it has none, that on the last earlier line with the id.
  std::optional<Position> position = {};
  double demand = 0;
  TimeWindow window = {};
};

// A route that a driver drove.
struct PastRoute {
  int64_t day = 0;                     // days since 1970-01-01
  int32_t driver = -1;                 // index of RouteHistory::drivers; -1: not stated
  std::optional<Position> depot = {};  // of this line, or of the last earlier line with one
  std::vector<PastStop> stops = {};    // in the order of the visits; at least one
};

// Routes of past days, in increasing order of the days.
struct RouteHistory {
  CoordinateSystem coordinates = CoordinateSystem::kPlanar;
  // The ids of stops and the drivers, each once, in the order in which routes first name them.
  std::vector<std::string> ids = {};
  std::vector<std::string> drivers = {};
  std::vector<PastRoute> routes = {};

  // Returns the name of a driver; empty for -1.
  std::string_view DriverName(int32_t driver) const {
    return driver < 0 ? std::string_view() : drivers[static_cast<size_t>(driver)];
  }
};

// Makes a history of lines as they arrive. Not thread-safe.
class RouteHistoryBuilder {
 public:
  // Adds a line, which is not blank. Returns the errors of RouteLineReader. A refused line changes
  // nothing.
  absl::Status Add(std::string_view line);
  // Returns the history. The builder must not be used afterwards.
  RouteHistory Take() && { return std::move(history_); }

 private:
  int32_t IdOf(const std::string& name);

  RouteLineReader reader_;
  RouteHistory history_;
  std::unordered_map<std::string, int32_t> ids_;
  std::unordered_map<std::string, int32_t> drivers_;
  std::vector<std::optional<Position>> positions_;  // the last one of each id
  std::optional<Position> depot_;                   // the last one
};

// Parses a whole history, `name` in errors. Returns kInvalidArgument naming line and field:
// `past.jsonl:3: stops[2].id: ...`, or if there are no routes.
absl::StatusOr<RouteHistory> ParseRouteHistory(std::string_view text, std::string_view name);
// Returns an error about a line of the file `name`, with both before its message.
absl::Status RouteLineError(std::string_view name, int64_t number, const absl::Status& status);

// Returns the number of the first route of the last `days` days that have routes; 0 if there are
// not more days than that.
size_t FirstRouteOfLastDays(const RouteHistory& history, int64_t days);
// Returns the number of days that have routes.
int64_t CountDays(std::span<const PastRoute> routes);

}  // namespace vrp
