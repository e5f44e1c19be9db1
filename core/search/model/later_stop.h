// The later of two stop conditions.
#pragma once

#include "core/base/stop.h"

namespace vrp {

// Returns `stop`, or `hard_stop` where that holds later.
inline StopCondition LaterStop(const StopCondition& stop, const StopCondition& hard_stop) {
  if (stop.ShouldStop() || stop.deadline() < hard_stop.deadline()) return hard_stop;
  return stop;
}

}  // namespace vrp
