// Computes times of a leg of a route with breaks, taken on the way or at the next stop.
#pragma once

#include <algorithm>
#include <span>

#include "core/problem/instance/travel_time.h"
#include "core/problem/instance/vehicle.h"

namespace vrp {

// Returns the time at which the vehicle is ready at the end of a leg that begins at `time` and has
// the travel time `travel`, which breaks do not change. The vehicle takes `breaks` on the leg, in
// order and each as soon as possible. Returns kNoLimit if a break would begin more than `slack`
// after its window closes.
inline double ArrivalAfter(std::span<const Break> breaks, double time, double travel,
                           double slack) {
  for (const Break& pause : breaks) {
    const double driven = std::clamp(pause.window.open - time, 0.0, travel);
    travel -= driven;
    time = std::max(time + driven, pause.window.open);
    if (time > pause.window.close + slack) return kNoLimit;
    time += pause.duration;
  }
  return time + travel;
}

// Returns the latest departure with which the leg ends by `arrival` and no break begins after its
// window, without slack. The caller must check with ArrivalAfter that this is possible.
inline double DepartureBefore(std::span<const Break> breaks, double arrival,
                              const TravelTime& travel) {
  double paused = 0;
  double bound = kNoLimit;
  for (const Break& pause : breaks) {
    bound = std::min(bound, pause.window.close - paused);
    paused += pause.duration;
  }
  return std::min(bound, travel.LatestDeparture(arrival, paused));
}

}  // namespace vrp
