// Converts the reason why work ended early to a status.
#pragma once

#include "absl/status/status.h"
#include "core/base/stop.h"

namespace vrp {

// Returns OK for kNone, otherwise kDeadlineExceeded or kCancelled.
absl::Status StopStatus(StopReason reason);

}  // namespace vrp
