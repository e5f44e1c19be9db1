// Lines of histories of routes, as they are in the file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/problem/instance/metric.h"
#include "core/problem/instance/vehicle.h"

namespace vrp {

// Largest number of stops of a history, those of all routes together.
inline constexpr int64_t kMaxHistoryStops = 1'000'000;
// Largest number of stops of a route.
inline constexpr int64_t kMaxRouteStops = 10'000;
// Largest number of drivers of a history.
inline constexpr int64_t kMaxHistoryDrivers = 2'000;

// A stop of a past route.
struct StopLine {
  std::string id = {};  // empty: none, but a position
  std::optional<Position> position = {};
  double demand = 0;
  TimeWindow window = {};
};

// A past route, with its stops in the order in which the driver visited them.
struct RouteLine {
  int64_t day = 0;          // days since 1970-01-01
  std::string driver = {};  // empty: not stated
  std::optional<CoordinateSystem> coordinates = {};
  std::optional<Position> depot = {};
  std::vector<StopLine> stops = {};
};

// A reader of a history, line by line:
//   {"day": "2026-03-02", "driver": "ann", "depot": {"x": 0, "y": 0},
//    "stops": [{"id": "c17", "x": 1.5, "y": 2, "demand": 3, "window": [0, 900]}, ...]}
// A driver may have several routes on a day. `driver`, `depot`, and of each stop either the id or
// x and y, and demand and window are optional. The first line may have "coordinates": "lon_lat"
// (x: longitude, y: latitude, in degrees) or "planar", the default. Not thread-safe.
class RouteLineReader {
 public:
  // Whether `line` is a line of a history: a JSON object with `stops`, `driver` or `depot`.
  static bool Recognises(std::string_view line);

  // Reads the next line, which is not blank. Checks the keys, the order of the days, that ids are
  // unique within their route, and the ranges of the numbers. Returns kInvalidArgument that begins
  // with the field: `stops[2].id: absent, ...`. A refused line changes nothing.
  absl::StatusOr<RouteLine> Read(std::string_view line);

  int64_t days() const { return days_; }
  int64_t routes() const { return routes_; }
  int64_t stops() const { return stops_; }

 private:
  absl::Status CheckOrder(const RouteLine& route) const;
  absl::Status CheckDriver(const std::string& driver) const;
  absl::Status CheckCoordinates(const RouteLine& route) const;

  int64_t day_ = 0;  // the last one
  CoordinateSystem coordinates_ = CoordinateSystem::kPlanar;
  std::unordered_set<std::string> drivers_;
  int64_t days_ = 0;
  int64_t routes_ = 0;
  int64_t stops_ = 0;
};

// Returns a day as text, "2026-03-02".
std::string DayText(int64_t day);

}  // namespace vrp
