// A full disk is waited for where days of work would be lost to it.
#pragma once

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "core/base/stop.h"

namespace vrp {

// No room, or no more of it for this user or process: what absl::ErrnoToStatus makes of ENOSPC,
// EDQUOT and EFBIG.
bool DiskIsFull(const absl::Status& status);

// Calls `write` again, about once a second, while it says that the disk is full, and gives what it
// said last; `told` hears of that once. kCancelled: `stop` came first. Blocks.
absl::Status WriteOnceThereIsRoom(const StopCondition& stop,
                                  absl::FunctionRef<absl::Status()> write,
                                  absl::FunctionRef<void(const absl::Status& full)> told);

}  // namespace vrp
