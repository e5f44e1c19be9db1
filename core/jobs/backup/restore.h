// Restores a state folder from a backup.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "core/base/clock.h"
#include "core/base/stop.h"
#include "core/base/watch.h"

namespace vrp {

// The content of a restored backup.
struct RestoreReport {
  std::string program;  // program that wrote the backup
  absl::Time created;
  int64_t files = 0;   // number of files, including index and sums
  int64_t bytes = 0;   // total size of these files
  int64_t queued = 0;  // number of interrupted jobs, which will resume
};

// The backup to restore and the folder for its files.
struct RestoreOptions {
  std::string archive;           // path of the archive
  std::string directory;         // absent or empty; becomes the state folder, with mode 0700 if new
  const Clock* clock = nullptr;  // must not be null
  WatchFn watch = nullptr;       // watches each file and step of a "restore"
  StopCondition stop = {};       // polled while files are read, and before the final move
};

// Unpacks a backup into a hidden folder in `directory`. Verifies each file's digest, migrates the
// database, queues the interrupted jobs and flushes everything to the disk. Only then moves the
// files to their final paths, the database last. After an error, `directory` is as before; after a
// crash, daemons refuse to use it. Blocks. Returns:
// - kNotFound if there is no regular file at the archive's path;
// - kFailedPrecondition if `directory` is not empty, or a newer program wrote the backup;
// - kDataLoss if the archive is damaged or truncated, or not a tar archive;
// - kInvalidArgument if the tar archive is not a backup of vrpd, or has a link, a folder or a path
// that no backup has;
// - kResourceExhausted if the disk is full;
// - kCancelled or kDeadlineExceeded if `stop` fired.
absl::StatusOr<RestoreReport> RestoreBackup(const RestoreOptions& options);

}  // namespace vrp
