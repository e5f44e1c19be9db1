// Time that only goes forward, whatever becomes of the machine's clock.
#pragma once

#include "absl/time/time.h"

namespace vrp {

// For deadlines and durations: what the machine's clock would say had nobody set it since the
// process began. Never shown or stored; for that there are Clock and absl::Now. Thread-safe.
absl::Time SteadyNow();

}  // namespace vrp
