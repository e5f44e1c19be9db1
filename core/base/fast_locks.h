// Abseil's locks as fast as they are.
#pragma once

#include "absl/synchronization/mutex.h"

namespace vrp {

// Abseil as Debian builds it looks for cycles at each lock that is taken while another is held,
// under one lock for all threads, gRPC's locks included. Tests leave it on, to be told of cycles;
// programs call this once, before they have threads.
inline void TakeLocksWithoutLookingForCycles() {
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
}

}  // namespace vrp
