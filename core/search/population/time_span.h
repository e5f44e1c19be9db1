// A part of a route as its windows see it.
#pragma once

#include <algorithm>

namespace vrp {

// The least time that the part takes, the lateness that it cannot avoid ("time warp": a late
// vehicle goes back in time, at a price), and the earliest and latest start with both least (Vidal
// et al. 2013, "A hybrid genetic algorithm with adaptive diversity management for a large class of
// vehicle routing problems with time windows").
struct TimeSpan {
  double duration = 0;
  double warp = 0;
  double earliest = 0;
  double latest = 0;
};

// `a`, then `travel`, then `b`.
inline TimeSpan Join(const TimeSpan& a, double travel, const TimeSpan& b) {
  const double until = a.duration - a.warp + travel;
  const double wait = std::max(b.earliest - until - a.latest, 0.0);
  const double late = std::max(a.earliest + until - b.latest, 0.0);
  return {.duration = a.duration + b.duration + travel + wait,
          .warp = a.warp + b.warp + late,
          .earliest = std::max(b.earliest - until, a.earliest) - wait,
          .latest = std::min(b.latest - until, a.latest) + late};
}

}  // namespace vrp
