// Vehicle types: depots, capacities, limits, working hours and costs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/problem/instance/driving_rules.h"
#include "core/problem/instance/node.h"

namespace vrp {

// The times at which service may start: [open, close], both ends included. Early vehicles wait.
struct TimeWindow {
  double open = 0;
  double close = kNoLimit;
  // Cost per time unit of a start after `close`. With kNoLimit, the window is hard.
  double late_cost = kNoLimit;

  bool soft() const { return late_cost != kNoLimit; }
  bool operator==(const TimeWindow&) const = default;
};

// A pause of `duration` that begins within the window, both ends included, at a stop or between two
// stops. A break does not shorten the travel time. Every used vehicle takes all of its breaks in
// the given order, after its departure from the start and before its arrival at the end. With an
// open end, the last breaks may follow the last service.
struct Break {
  TimeWindow window = {};
  double duration = 0;

  bool operator==(const Break&) const = default;
};

// Value of VehicleType::end_depot for routes that end where they start.
inline constexpr NodeIndex kSameAsStart = -1;

// `count` equal vehicles. Each starts at `depot` and, unless `open_end`, ends at `end_depot`.
struct VehicleType {
  std::string id = {};
  int32_t count = 0;  // 0: unlimited
  NodeIndex depot = 0;
  double capacity = kNoLimit;  // limit in the first load dimension
  // Largest time from the departure from the start to the arrival at the end, including waiting and
  // service.
  double max_duration = kNoLimit;
  double max_distance = kNoLimit;  // limit of a route's length, in the metric's unit
  // Largest waiting time of a route: the part of its duration in which the vehicle neither drives,
  // serves, sets up nor takes a break. It may wait for windows, also at its end, for breaks and,
  // when it reloads, for releases.
  double max_waiting = kNoLimit;
  // Whether a route ends with the service of its last customer. If so, neither the cost nor a limit
  // includes the return leg. The last service may end after the depot closes, but not after the
  // shift.
  bool open_end = false;

  NodeIndex end_depot = kSameAsStart;
  std::vector<double> further_capacities = {};  // limits in load dimensions 1 .. K-1; empty: no
                                                // limits
  TimeWindow shift = {};                        // from the departure from the start to the arrival
                                                // at the end
  // Costs with Objective::kCost: per used vehicle, per unit of distance, per unit of duration.
  double fixed_cost = 0;
  double cost_per_distance = 1;
  double cost_per_time = 0;
  // Allowed duration beyond max_duration. With Objective::kCost it has a cost per unit.
  double max_overtime = 0;
  double overtime_cost = 0;
  int32_t max_stops = INT32_MAX;  // largest number of customers of a route
  // Largest number of returns to `depot` within a route to unload and load again.
  int32_t max_reloads = 0;
  std::vector<std::string> skills = {};
  std::vector<Break> breaks = {};
  // Matrices, [R, R] row-major (R: MatrixSize). One that is not empty replaces the instance's for
  // this type.
  std::vector<double> distance_matrix = {};
  std::vector<double> duration_matrix = {};
  DrivingRules driving_rules = {};

  NodeIndex end() const { return end_depot == kSameAsStart ? depot : end_depot; }
  // Whether a limit depends on a route's duration. The vehicle then leaves as late as it can
  // without delaying the route's end (core/problem/plan/schedule.h).
  bool limits_duration() const { return max_duration != kNoLimit || max_waiting != kNoLimit; }
  bool operator==(const VehicleType&) const = default;
};

}  // namespace vrp
