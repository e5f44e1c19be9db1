// Monotonic time, unaffected by changes to the machine's clock.
#pragma once

#include "absl/time/time.h"

namespace vrp {

// Returns the wall time at the start of the process plus the monotonic time since. For deadlines
// and durations; to show or store a time, use Clock or absl::Now. Thread-safe.
absl::Time SteadyNow();

}  // namespace vrp
