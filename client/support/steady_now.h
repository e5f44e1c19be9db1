// Reads a monotonic clock, which is unaffected by changes of the machine's clock.
#pragma once

#include <chrono>

#include "absl/time/time.h"

namespace vrp::client {

// Returns a time that has a meaning only relative to other results of this function. Thread-safe.
inline absl::Time SteadyNow() {
  return absl::UnixEpoch() + absl::FromChrono(std::chrono::steady_clock::now().time_since_epoch());
}

}  // namespace vrp::client
