// Histories for tests of habits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/habits/history.h"

namespace vrp::test {

// A route as text: its day in March 2026, its driver, and the ids of its stops.
struct ShortRoute {
  int day = 1;
  std::string driver = {};
  std::vector<std::string> stops = {};
};

// Returns the position of a stop with an id such as "b3": the letter is the street (y), the number
// the house (x).
inline Position PlaceOf(std::string_view id) {
  return {.x = static_cast<double>(id[1] - '0'), .y = 10.0 * (id[0] - 'a')};
}

// Returns a line of a history.
inline std::string RouteText(const ShortRoute& route) {
  std::string text = Concat(R"({"day": "2026-03-)", route.day < 10 ? "0" : "", route.day, "\"");
  if (!route.driver.empty()) text += Concat(R"(, "driver": ")", route.driver, "\"");
  text += R"(, "depot": {"x": 0, "y": -5}, "stops": [)";
  for (size_t i = 0; i < route.stops.size(); ++i) {
    const Position place = PlaceOf(route.stops[i]);
    text += Concat(i > 0 ? ", " : "", R"({"id": ")", route.stops[i], R"(", "x": )", place.x,
                   R"(, "y": )", place.y, "}");
  }
  return text + "]}\n";
}

inline RouteHistory HistoryOf(const std::vector<ShortRoute>& routes) {
  std::string text;
  for (const ShortRoute& route : routes) text += RouteText(route);
  absl::StatusOr<RouteHistory> history = ParseRouteHistory(text, "past.jsonl");
  if (!history.ok()) std::abort();
  return *std::move(history);
}

// Returns today's stops, the depot first.
inline std::vector<HabitStop> StopsOf(const std::vector<std::string>& ids) {
  std::vector<HabitStop> stops = {{.id = {}, .position = Position{.x = 0, .y = -5}}};
  for (const std::string& id : ids) stops.push_back({.id = id, .position = PlaceOf(id)});
  return stops;
}

}  // namespace vrp::test
