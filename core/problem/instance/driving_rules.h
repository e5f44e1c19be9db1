// Rules of drivers' hours as numbers, and named presets of them.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "core/problem/instance/node.h"

namespace vrp {

// The rules for the driver of a route, in the unit of the instance's times. The driver may take a
// break at each stop on arrival, and anywhere on the way. A break is a time in which the vehicle
// neither drives, serves nor sets up. Waiting and the vehicle's own breaks are such times, too. The
// start of a stop ends a break, even if the stop takes no time. A break that is longer than needed
// may also be the first part of the next one, if it is as long as both. It may count for less: a
// long one as a first part.
struct DrivingRules {
  // Largest driving time without a break. After it, driving counts from 0 again.
  double max_driving_before_break = kNoLimit;
  double break_duration = 0;  // least duration of such a break
  // Least durations of the parts of a break, in this order. Each part is a break of its own, with
  // driving or work in between. Both are 0 if a break may not be split.
  double first_part = 0;
  double second_part = 0;
  double max_driving = kNoLimit;  // largest driving time of a route
  double max_work = kNoLimit;     // largest sum of driving, setup and service of a route

  bool has_breaks() const { return max_driving_before_break != kNoLimit; }
  bool has_parts() const { return first_part > 0; }
  bool operator==(const DrivingRules&) const = default;
};

// Returns the rules named `preset` in a time unit of `seconds_per_time` seconds. A unit of 0 is
// unknown, which is an error. The error begins with "preset: " or "time_unit: ".
// - eu_561_daily: of Regulation (EC) No 561/2006, at most 4.5 hours of driving, then a break of 45
//   minutes, in one part or in parts of 15 and 30 minutes; at most 9 hours of driving on a route.
absl::StatusOr<DrivingRules> DrivingPreset(std::string_view preset, double seconds_per_time);

}  // namespace vrp
