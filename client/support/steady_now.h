// Time of a monotonic clock, unaffected by changes of the machine's clock.
#pragma once

#include <chrono>

#include "absl/time/time.h"

namespace vrp::client {

// Returns a time that is only meaningful relative to others of this function. Thread-safe.
inline absl::Time SteadyNow() {
  return absl::UnixEpoch() + absl::FromChrono(std::chrono::steady_clock::now().time_since_epoch());
}

}  // namespace vrp::client
