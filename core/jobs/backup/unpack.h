// The files of a backup's archive, checked, in a folder.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/base/stop.h"
#include "core/base/watch.h"
#include "core/jobs/backup/backup_index.h"

namespace vrp {

// Relative, without empty parts, `.` and `..`, of printable characters, in one of the folders that
// a backup has: what may be made below the folder that is restored into.
absl::Status CheckBackupPath(std::string_view path);

struct UnpackedBackup {
  BackupIndex index;
  int64_t files = 0;  // with index and sums
  int64_t bytes = 0;
};

// Writes each file of `archive` below `directory`, which is empty, as it comes, and checks it
// against the sums that come last. Nothing is flushed. Errors as of RestoreBackup; what was written
// by then is left to the caller. `watch` sees a "restore" of each file; `stop` is asked at each
// piece of one (kCancelled).
absl::StatusOr<UnpackedBackup> UnpackBackup(const std::string& archive,
                                            const std::string& directory,
                                            const WatchFn& watch = nullptr,
                                            const StopCondition& stop = {});

}  // namespace vrp
