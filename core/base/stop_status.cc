#include "core/base/stop_status.h"

namespace vrp {

absl::Status StopStatus(StopReason reason) {
  switch (reason) {
    case StopReason::kNone:
      return absl::OkStatus();
    case StopReason::kDeadline:
      return absl::DeadlineExceededError("the deadline passed before the work was complete");
    case StopReason::kCancelled:
      return absl::CancelledError("cancelled");
  }
  return absl::OkStatus();
}

}  // namespace vrp
