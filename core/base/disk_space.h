// Retries of writes to a full disk, where failing would lose days of work.
#pragma once

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "core/base/stop.h"

namespace vrp {

// Whether `status` reports a full disk, an exceeded quota or file size limit: the statuses that
// absl::ErrnoToStatus returns for ENOSPC, EDQUOT and EFBIG.
bool DiskIsFull(const absl::Status& status);

// Calls `write` about once a second until it reports no full disk any more, and returns its last
// status. Calls `on_full` once, at the first full disk. kCancelled: `stop` fired first. Blocks.
absl::Status WriteWhenDiskHasSpace(const StopCondition& stop,
                                   absl::FunctionRef<absl::Status()> write,
                                   absl::FunctionRef<void(const absl::Status& full)> on_full);

}  // namespace vrp
