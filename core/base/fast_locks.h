// Turns off Abseil's deadlock detection.
#pragma once

#include "absl/synchronization/mutex.h"

namespace vrp {

// Turns off the check for lock cycles. In Debian's build, Abseil checks for cycles at every
// nested lock, under one lock for all threads, including gRPC's. Tests leave the detection on.
// Call this once, before the program starts threads.
inline void DisableDeadlockDetection() {
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
}

}  // namespace vrp
