// Breaks on a leg of a route: on the way, or at the stop that it leads to.
#pragma once

#include <algorithm>
#include <span>

#include "core/problem/instance/vehicle.h"

namespace vrp {

// When the vehicle is ready at the end of a leg of `travel` that it begins at `time` and on which
// it takes `breaks`, in order and each as soon as it can; kNoLimit where one begins too late.
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

// The latest time to begin the leg so that it is over by `arrival`, if that can be: ArrivalAfter
// tells.
inline double DepartureBefore(std::span<const Break> breaks, double arrival, double travel) {
  double paused = 0;
  double bound = kNoLimit;
  for (const Break& pause : breaks) {
    bound = std::min(bound, pause.window.close - paused);
    paused += pause.duration;
  }
  return std::min(bound, arrival - travel - paused);
}

}  // namespace vrp
