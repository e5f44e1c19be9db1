// Retries writes to a full disk, for work that took days and must not be lost.
#pragma once

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "core/base/stop.h"

namespace vrp {

// Whether `status` reports a full disk, or an exceeded quota or file size limit. Recognises
// kResourceExhausted and kOutOfRange, to which absl::ErrnoToStatus maps ENOSPC, EDQUOT and EFBIG.
// Other errors with these codes count too, such as too many open files (EMFILE).
bool DiskIsFull(const absl::Status& status);

// Calls `write`. While `write` reports a full disk, calls it again: after 10 ms, then about once a
// second. Returns its last status. Calls `on_full` once, at the first full disk. Returns kCancelled
// if `stop` fires first. Blocks.
absl::Status WriteWhenDiskHasSpace(const StopCondition& stop,
                                   absl::FunctionRef<absl::Status()> write,
                                   absl::FunctionRef<void(const absl::Status& full)> on_full);

}  // namespace vrp
