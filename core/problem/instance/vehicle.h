// Vehicles: where they start and end, what they carry, when they work and what they cost.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/problem/instance/node.h"

namespace vrp {

// Service may start within [open, close], both ends included; an early vehicle waits.
struct TimeWindow {
  double open = 0;
  double close = kNoLimit;
  // Cost of each time unit that service starts after `close`; kNoLimit: it may not.
  double late_cost = kNoLimit;

  bool soft() const { return late_cost != kNoLimit; }
  bool operator==(const TimeWindow&) const = default;
};

// A pause of `duration` that begins within the window, both ends included: at a stop, or on the way
// between two, whose travel time it does not shorten. Every vehicle that is used takes each of its
// breaks after it left its start and before it reached its end, in the order given; where the end
// is open, after its last service at the latest.
struct Break {
  TimeWindow window = {};
  double duration = 0;

  bool operator==(const Break&) const = default;
};

inline constexpr NodeIndex kWhereItStarts = -1;

// `count` equal vehicles. Each starts at `depot` and, unless `open_end`, ends at `end_depot`.
struct VehicleType {
  std::string id = {};
  int32_t count = 0;  // 0: as many as needed
  NodeIndex depot = 0;
  double capacity = kNoLimit;  // of the first load dimension
  double max_duration =
      kNoLimit;  // from leaving the depot until being back, waiting and service included
  double max_distance = kNoLimit;  // of a route, in the metric's unit
  // A route ends with the service of its last customer: the way back counts for nothing, neither
  // in the cost nor in a limit, and the depot may close meanwhile (a shift may not).
  bool open_end = false;

  NodeIndex end_depot = kWhereItStarts;
  std::vector<double> further_capacities = {};  // of load dimensions 1 .. K-1; empty: no limits
  TimeWindow shift = {};                        // it leaves its start and reaches its end within it
  // With Objective::kCost: once the vehicle is used, a distance unit, a unit of duration.
  double fixed_cost = 0;
  double cost_per_distance = 1;
  double cost_per_time = 0;
  // Duration above max_duration that is allowed, and with kCost the cost of each unit of it.
  double max_overtime = 0;
  double overtime_cost = 0;
  int32_t max_stops = INT32_MAX;  // customers of a route
  // Times that it may return to `depot` within a route to unload and load again.
  int32_t max_reloads = 0;
  std::vector<std::string> skills = {};
  std::vector<Break> breaks = {};
  // [R, R] row-major (R: MatrixSize), of this type alone; empty: the instance's.
  std::vector<double> distance_matrix = {};
  std::vector<double> duration_matrix = {};

  NodeIndex end() const { return end_depot == kWhereItStarts ? depot : end_depot; }
  bool operator==(const VehicleType&) const = default;
};

}  // namespace vrp
