// Reads monotonic time, which changes to the machine's clock do not affect.
#pragma once

#include "absl/time/time.h"

namespace vrp {

// Returns the wall time at the first call in the process plus the monotonic time since then. Serves
// deadlines and durations. Clock and absl::Now serve times that are shown or stored. Thread-safe.
absl::Time SteadyNow();

}  // namespace vrp
