// A state folder out of a backup.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "core/base/clock.h"
#include "core/base/stop.h"
#include "core/base/watch.h"

namespace vrp {

struct RestoreReport {
  std::string program;  // that made the backup
  absl::Time created;
  int64_t files = 0;
  int64_t bytes = 0;   // of the files
  int64_t queued = 0;  // jobs that ran, and go on
};

struct RestoreOptions {
  std::string archive;    // a file
  std::string directory;  // absent or empty; becomes the state folder, for its owner alone
  const Clock* clock = nullptr;
  WatchFn watch = nullptr;  // of each piece of a "restore"
  StopCondition stop = {};  // asked at each piece, until all begins to be moved to its place
};

// Unpacks into a hidden folder in `directory`, checks each file against its sum and the database
// against this program's schema (an older one is brought up to date), queues again the jobs that
// ran, flushes all of it to the disk, and only then moves it to its place, the database last. After
// an error there is nothing in `directory`; after a crash a daemon refuses to use it. Blocks.
// kFailedPrecondition: `directory` is not empty, or the backup is of a newer program;
// kDataLoss: the archive is damaged or cut off; kInvalidArgument: it is no backup of vrpd, or holds
// what no backup does (links, paths that lead elsewhere); kResourceExhausted: the disk is full;
// kCancelled: it was stopped.
absl::StatusOr<RestoreReport> RestoreBackup(const RestoreOptions& options);

}  // namespace vrp
