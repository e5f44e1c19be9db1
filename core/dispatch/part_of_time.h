// Divides the time of a decision.
#pragma once

#include "absl/time/time.h"
#include "core/base/steady_time.h"
#include "core/base/stop.h"

namespace vrp {

// Returns a condition that stops once `share` of the time that `stop` leaves from now on is used;
// `stop` itself if it has no deadline.
inline StopCondition PartOfTime(const StopCondition& stop, double share) {
  if (stop.deadline() == absl::InfiniteFuture()) return stop;
  const absl::Time now = SteadyNow();
  return stop.Sooner(now + share * (stop.deadline() - now));
}

}  // namespace vrp
