#include "core/habits/history.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"

namespace vrp {

int32_t RouteHistoryBuilder::IdOf(const std::string& name) {
  if (name.empty()) return -1;
  const auto [found, added] = ids_.emplace(name, static_cast<int32_t>(history_.ids.size()));
  if (added) {
    history_.ids.push_back(name);
    positions_.emplace_back();
  }
  return found->second;
}

absl::Status RouteHistoryBuilder::Add(std::string_view line) {
  VRP_ASSIGN_OR_RETURN(const RouteLine read, reader_.Read(line));
  PastRoute route = {.day = read.day};
  if (!read.driver.empty()) {
    const auto [driver, added] =
        drivers_.emplace(read.driver, static_cast<int32_t>(history_.drivers.size()));
    if (added) history_.drivers.push_back(read.driver);
    route.driver = driver->second;
  }
  if (read.depot.has_value()) depot_ = read.depot;
  route.depot = depot_;
  route.stops.reserve(read.stops.size());
  for (const StopLine& stop : read.stops) {
    PastStop past = {.id = IdOf(stop.id),
                     .position = stop.position,
                     .demand = stop.demand,
                     .window = stop.window};
    if (past.id >= 0) {
      std::optional<Position>& last = positions_[static_cast<size_t>(past.id)];
      if (past.position.has_value()) last = past.position;
      past.position = last;
    }
    route.stops.push_back(past);
  }
  if (history_.routes.empty()) {
    history_.coordinates = read.coordinates.value_or(CoordinateSystem::kPlanar);
  }
  history_.routes.push_back(std::move(route));
  return absl::OkStatus();
}

absl::Status RouteLineError(std::string_view name, int64_t number, const absl::Status& status) {
  return absl::Status(status.code(), Concat(name, ":", number, ": ", FromAbsl(status.message())));
}

absl::StatusOr<RouteHistory> ParseRouteHistory(std::string_view text, std::string_view name) {
  RouteHistoryBuilder builder;
  int64_t number = 0;
  for (const absl::string_view part : absl::StrSplit(ToAbsl(text), '\n')) {
    ++number;
    const std::string_view content = FromAbsl(absl::StripAsciiWhitespace(part));
    if (content.empty()) continue;
    const absl::Status added = builder.Add(content);
    if (!added.ok()) return RouteLineError(name, number, added);
  }
  RouteHistory history = std::move(builder).Take();
  if (!history.routes.empty()) return history;
  return absl::InvalidArgumentError(
      Concat(name, ": no routes, wanted a JSON object per line with day and stops"));
}

size_t FirstRouteOfLastDays(const RouteHistory& history, int64_t days) {
  size_t first = history.routes.size();
  for (int64_t left = days; first > 0; --first) {
    const bool begins = first == history.routes.size() ||
                        history.routes[first - 1].day != history.routes[first].day;
    if (begins && left-- == 0) return first;
  }
  return 0;
}

int64_t CountDays(std::span<const PastRoute> routes) {
  int64_t days = 0;
  for (size_t i = 0; i < routes.size(); ++i) {
    if (i == 0 || routes[i].day != routes[i - 1].day) ++days;
  }
  return days;
}

}  // namespace vrp
