// Computes times of a leg of a route with breaks, taken on the way or at the next stop.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/problem/instance/travel_time.h"
#include "core/problem/plan/timed_stop.h"

namespace vrp {

// Rounding of sums of loads, as a share of a limit above 1. The checker allows twice as much.
inline constexpr double kLoadSlack = 5e-10;

// Returns a break's windows as those of a stop.
inline TimedStop WindowsOf(const Break& pause) {
  return {.first = pause.window, .further = pause.further_windows};
}

// Returns the breaks that a vehicle with loads `load` [K] may take.
inline BreakSet BreaksAllowedWith(std::span<const Break> breaks, std::span<const double> load) {
  BreakSet allowed = 0;
  for (size_t i = 0; i < breaks.size(); ++i) {
    const std::vector<double>& most = breaks[i].max_load;
    const bool fits =
        std::equal(most.begin(), most.end(), load.begin(), [](double limit, double on_board) {
          return on_board <= limit + kLoadSlack * std::max(1.0, limit);
        });
    if (fits) allowed |= BreakSet{1} << i;
  }
  return allowed;
}

// Whether any of the breaks has several windows.
inline bool HasFurtherWindows(std::span<const Break> breaks) {
  return std::any_of(breaks.begin(), breaks.end(),
                     [](const Break& pause) { return !pause.further_windows.empty(); });
}

// Whether any of the breaks has a limit on the load.
inline bool HasLoadLimits(std::span<const Break> breaks) {
  return std::any_of(breaks.begin(), breaks.end(),
                     [](const Break& pause) { return !pause.max_load.empty(); });
}

// Whether the breaks from `first` to `last` - 1 are among `allowed`.
inline bool AllowsBreaks(BreakSet allowed, size_t first, size_t last) {
  if (first == last) return true;
  const BreakSet wanted = (kAllBreaks >> (kMaxBreaks - (last - first))) << first;
  return (allowed & wanted) == wanted;
}

// Returns what BreakStart returns, for a time after the first window. Apart, so that BreakStart is
// inlined.
double LaterBreakStart(const Break& pause, double time, double slack);

// Returns the earliest time from `time` on at which the break may begin; `time` if it is too late.
inline double BreakStart(const Break& pause, double time, double slack) {
  const bool first = pause.further_windows.empty() || time <= pause.window.close + slack;
  return first ? std::max(time, pause.window.open) : LaterBreakStart(pause, time, slack);
}

// Whether a break that begins at `time` begins after its last window.
inline bool IsBreakLate(const Break& pause, double time, double slack) {
  const bool single = pause.further_windows.empty();
  return time > (single ? pause.window : pause.further_windows.back()).close + slack;
}

// Takes a break as soon as possible on a leg that still takes `travel` at `time`. Returns whether
// it begins at most `slack` after its last window closes.
inline bool TakeBreak(const Break& pause, double slack, double& time, double& travel) {
  const double begin = BreakStart(pause, time, slack);
  const double driven = std::clamp(begin - time, 0.0, travel);
  travel -= driven;
  time = std::max(time + driven, begin);
  if (IsBreakLate(pause, time, slack)) return false;
  time += pause.duration;
  return true;
}

// Returns the time at which the vehicle is ready at the end of a leg that begins at `time` and has
// the travel time `travel`, which breaks do not change. The vehicle takes `breaks` on the leg, in
// order and each as soon as possible. Returns kNoLimit if a break would begin more than `slack`
// after its last window closes.
inline double ArrivalAfter(std::span<const Break> breaks, double time, double travel,
                           double slack) {
  for (const Break& pause : breaks) {
    if (!TakeBreak(pause, slack, time, travel)) return kNoLimit;
  }
  return time + travel;
}

// Returns the latest departure with which the leg ends by `arrival` and no break begins after its
// window, without slack. If breaks have several windows, one may open `rounding` too late. The
// caller must check with ArrivalAfter that this is possible.
double DepartureBefore(std::span<const Break> breaks, double arrival, const TravelTime& travel,
                       double rounding);

}  // namespace vrp
