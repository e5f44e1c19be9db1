// A run of visits in one route as its time windows see it.
#pragma once

#include <algorithm>

namespace vrp {

// The least time that the visits take, the lateness that they cannot avoid ("time warp": a late
// vehicle goes back in time at a penalty), and the earliest and latest start of the first service
// for which both are least (Vidal et al. 2013, "A hybrid genetic algorithm with adaptive diversity
// management for a large class of vehicle routing problems with time-windows").
struct TimeSegment {
  double duration = 0;
  double warp = 0;
  double earliest = 0;
  double latest = 0;
};

// Returns the segment of `a`, then `travel`, then `b`. O(1).
inline TimeSegment Join(const TimeSegment& a, double travel, const TimeSegment& b) {
  const double until = a.duration - a.warp + travel;
  const double wait = std::max(b.earliest - until - a.latest, 0.0);
  const double late = std::max(a.earliest + until - b.latest, 0.0);
  return {.duration = a.duration + travel + b.duration + wait,
          .warp = a.warp + b.warp + late,
          .earliest = std::max(b.earliest - until, a.earliest) - wait,
          .latest = std::min(b.latest - until, a.latest) + late};
}

}  // namespace vrp
