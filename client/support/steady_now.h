// Time that only goes forward, whatever becomes of the machine's clock.
#pragma once

#include <chrono>

#include "absl/time/time.h"

namespace vrp::client {

// For durations alone: of no machine's clock. Thread-safe.
inline absl::Time SteadyNow() {
  return absl::UnixEpoch() + absl::FromChrono(std::chrono::steady_clock::now().time_since_epoch());
}

}  // namespace vrp::client
