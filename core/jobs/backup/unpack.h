// Unpacks and verifies the files of a backup's archive.
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

// Checks that a path may be created below the restored folder. It must be relative, printable, in
// one of a backup's folders, and without the parts ``, `.` and `..`.
absl::Status CheckBackupPath(std::string_view path);

struct UnpackedBackup {
  BackupIndex index;
  int64_t files = 0;  // including index and sums
  int64_t bytes = 0;
};

// Writes the files of `archive` below the empty `directory` and verifies them against the sums at
// its end. Flushes nothing. Errors as in RestoreBackup leave the written files to the caller.
// `watch` sees a "restore" of each file; `stop` is polled at each piece of one (kCancelled).
absl::StatusOr<UnpackedBackup> UnpackBackup(const std::string& archive,
                                            const std::string& directory,
                                            const WatchFn& watch = nullptr,
                                            const StopCondition& stop = {});

}  // namespace vrp
