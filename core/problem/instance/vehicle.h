// Vehicle types: depots, capacities, limits, working hours and costs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/problem/instance/node.h"

namespace vrp {

// The times at which service may start: [open, close], both ends included. Early vehicles wait.
struct TimeWindow {
  double open = 0;
  double close = kNoLimit;
  // Cost per time unit of a start after `close`. kNoLimit: the window is hard.
  double late_cost = kNoLimit;

  bool soft() const { return late_cost != kNoLimit; }
  bool operator==(const TimeWindow&) const = default;
};

// A pause of `duration` that begins within the window, both ends included, at a stop or between
// two. It does not shorten the travel time. Every used vehicle takes all of its breaks in the given
// order, after it leaves its start and before it reaches its end. With an open end, the last breaks
// may follow the last service.
struct Break {
  TimeWindow window = {};
  double duration = 0;

  bool operator==(const Break&) const = default;
};

inline constexpr NodeIndex kSameAsStart = -1;

// `count` equal vehicles. Each starts at `depot` and, unless `open_end`, ends at `end_depot`.
struct VehicleType {
  std::string id = {};
  int32_t count = 0;  // 0: unlimited
  NodeIndex depot = 0;
  double capacity = kNoLimit;  // of the first load dimension
  // From leaving the start to reaching the end, including waiting and service.
  double max_duration = kNoLimit;
  double max_distance = kNoLimit;  // of a route, in the metric's unit
  // Whether a route ends with the service of its last customer. The way back then counts neither in
  // the cost nor in a limit. The depot may close before that service ends, but the shift may not.
  bool open_end = false;

  NodeIndex end_depot = kSameAsStart;
  std::vector<double> further_capacities = {};  // of load dimensions 1 .. K-1; empty: no limits
  TimeWindow shift = {};                        // from leaving the start to reaching the end
  // Costs with Objective::kCost: per used vehicle, per unit of distance, per unit of duration.
  double fixed_cost = 0;
  double cost_per_distance = 1;
  double cost_per_time = 0;
  // Allowed duration beyond max_duration, and with Objective::kCost its cost per unit.
  double max_overtime = 0;
  double overtime_cost = 0;
  int32_t max_stops = INT32_MAX;  // customers of a route
  // How often a vehicle may return to `depot` within a route to unload and load again.
  int32_t max_reloads = 0;
  std::vector<std::string> skills = {};
  std::vector<Break> breaks = {};
  // [R, R] row-major (R: MatrixSize), replacing the instance's for this type if not empty.
  std::vector<double> distance_matrix = {};
  std::vector<double> duration_matrix = {};

  NodeIndex end() const { return end_depot == kSameAsStart ? depot : end_depot; }
  bool operator==(const VehicleType&) const = default;
};

}  // namespace vrp
