// A stop of a route as the checker times it.
#pragma once

#include <vector>

#include "core/problem/checker/checker_data.h"
#include "core/problem/instance/vehicle.h"

namespace vrp {

struct CheckerStop {
  std::vector<TimePoint> travel = {};  // CheckerData::TravelTimes from the stop before
  double work = 0;                     // setup and service, or loading at a depot
  std::vector<TimeWindow> windows = {};
  std::vector<bool> barred_breaks = {};  // those that the load on the way forbids; empty: none

  // Returns the travel time to this stop of a vehicle that leaves the stop before at `leave`.
  double TravelFrom(double leave) const {
    if (leave <= travel.front().leave) return travel.front().travel;
    for (size_t i = 1; i < travel.size(); ++i) {
      const TimePoint& a = travel[i - 1];
      const TimePoint& b = travel[i];
      if (leave > b.leave) continue;
      return (a.travel * (b.leave - leave) + b.travel * (leave - a.leave)) / (b.leave - a.leave);
    }
    return travel.back().travel;
  }
};

}  // namespace vrp
