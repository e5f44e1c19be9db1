// All that a daemon keeps, as of one moment: open files, whose content stays whatever happens to
// their names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/base/open_file.h"
#include "core/base/watch.h"
#include "core/jobs/job_book.h"

namespace vrp {

struct SnapshotFile {
  std::string path;  // in the backup: "jobs/{id}/checkpoint/step-5/state.safetensors"
  OpenFile file;
  int64_t size = 0;  // what is appended later is not in the snapshot
  uint32_t mode = 0600;
  absl::Time modified;
};

struct StateSnapshot {
  std::vector<SnapshotFile> files;  // the job database first, then by path
  int64_t jobs = 0;
  int64_t models = 0;          // versions
  int64_t links_left_out = 0;  // symbolic links, which are not followed
};

// What is backed up. All outlive who has it.
struct BackupSources {
  const JobBook* book = nullptr;
  std::string models_directory;
  std::string program;  // "vrpd 0.1", for the backup's index
  const Clock* clock = nullptr;
  WatchFn watch = nullptr;  // of each piece of a "backup"
};

inline constexpr std::string_view kBackupDatabase = "jobs.db";
inline constexpr std::string_view kBackupModels = "models";

// The database first, by SQLite's online backup, then the other files: so each job finds a
// checkpoint that is not older than what the database says of it. Jobs run, train and end
// meanwhile; their folders are not removed until all files are open. Files that are replaced or
// removed by others are taken as they were, or, where they go while they are opened, as they are a
// moment later. Temporary files are left out. Blocks on the disk. kResourceExhausted: no room for
// the database's copy, or more files than half of those that this process may open; kUnavailable:
// a file that cannot be opened.
absl::StatusOr<StateSnapshot> TakeSnapshot(const BackupSources& sources);

}  // namespace vrp
