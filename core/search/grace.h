// What a search may still do once its stop holds.
#pragma once

#include "core/base/stop.h"

namespace vrp {

// `stop`, but not before the grace is over.
inline StopCondition AtLeastGrace(const StopCondition& stop, const StopCondition& grace) {
  if (stop.ShouldStop() || stop.deadline() < grace.deadline()) return grace;
  return stop;
}

}  // namespace vrp
