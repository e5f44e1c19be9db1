// A stop of a route with its times and windows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "core/problem/instance/instance_data.h"
#include "core/problem/instance/travel_time.h"
#include "core/problem/instance/vehicle.h"

namespace vrp {

// A set of breaks of a vehicle: bit i stands for the i-th one.
using BreakSet = uint64_t;
inline constexpr BreakSet kAllBreaks = ~BreakSet{0};
static_assert(kMaxBreaks <= 64, "a BreakSet has a bit for each break");

// The times of a stop. Times that differ by at most a tolerance count as equal.
struct TimedStop {
  TravelTime travel = {};                    // travel time to the stop, without breaks
  double work = 0;                           // from the stop's start to the departure
  TimeWindow first = {};                     // the first window
  std::span<const TimeWindow> further = {};  // the windows after the first, in order
  BreakSet breaks_before = kAllBreaks;       // breaks that the load allows on the way to the stop

  const TimeWindow& last() const { return further.empty() ? first : further.back(); }

  // Returns the earliest time from `ready` on within a window. If there is none, returns `ready`.
  double StartAt(double ready, double tolerance) const {
    if (ready <= first.close + tolerance) return std::max(ready, first.open);
    for (const TimeWindow& window : further) {
      if (ready <= window.close + tolerance) return std::max(ready, window.open);
    }
    return ready;
  }

  bool IsLate(double start, double tolerance) const { return start > last().close + tolerance; }

  // Returns the latest time up to `bound` within a window; -kNoLimit if there is none. A window may
  // open up to `rounding` after `bound`.
  double LatestIn(double bound, double rounding) const {
    const auto within = [&](const TimeWindow& window) {
      return std::max(window.open, std::min(bound, window.close));
    };
    for (size_t i = further.size(); i-- > 0;) {
      if (further[i].open <= bound + rounding) return within(further[i]);
    }
    return first.open <= bound + rounding ? within(first) : -kNoLimit;
  }

  // Returns the cost of a start after the last window if that window is soft. Otherwise returns 0.
  double LateCost(double start) const {
    const TimeWindow& window = last();
    return window.soft() && start > window.close ? window.late_cost * (start - window.close) : 0;
  }
};

}  // namespace vrp
