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

// Checks that a path may be created below the restored folder. The path must be printable, with at
// most 255 bytes and without the parts ``, `.` and `..`. It must be in one of a backup's folders,
// or name one of a backup's top-level files. Returns kInvalidArgument otherwise.
absl::Status CheckBackupPath(std::string_view path);

// The content of an unpacked archive.
struct UnpackedBackup {
  BackupIndex index;
  int64_t files = 0;  // number of files, including index and sums
  int64_t bytes = 0;  // total size of these files
};

// Writes the files of `archive`, except its index and sums, below the empty `directory`. Verifies
// the files against the sums, which are the last file. Flushes nothing. Returns the same errors as
// RestoreBackup, and leaves the written files to the caller. Reports each file to `watch` as a
// "restore". Polls `stop` at each piece of a file. Returns kCancelled or kDeadlineExceeded once
// `stop` fires.
absl::StatusOr<UnpackedBackup> UnpackBackup(const std::string& archive,
                                            const std::string& directory,
                                            const WatchFn& watch = nullptr,
                                            const StopCondition& stop = {});

}  // namespace vrp
