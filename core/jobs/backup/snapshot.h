// A snapshot of a daemon's state: open files, whose content stays even if their names change.
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

// An open file of a snapshot.
struct SnapshotFile {
  std::string path;  // path in the backup: "jobs/{id}/checkpoint/step-5/state.safetensors"
  OpenFile file;
  int64_t size = 0;  // later appended bytes are not part of the snapshot
  uint32_t mode = 0600;
  absl::Time modified;
};

// The files of a snapshot, and the numbers of jobs, models and skipped links.
struct StateSnapshot {
  std::vector<SnapshotFile> files;  // the job database first, then folder by folder
  int64_t jobs = 0;
  int64_t models = 0;         // number of model versions
  int64_t skipped_links = 0;  // symbolic links, which are not followed
};

// The sources of a backup, which must outlive the backup.
struct BackupSources {
  const JobBook* book = nullptr;
  std::string models_directory;
  std::string program;  // "vrpd 0.1", for the backup's index
  const Clock* clock = nullptr;
  WatchFn watch = nullptr;  // watches the snapshot and each piece of a "backup"
};

// Paths of the job database and of the models' folder in a backup.
inline constexpr std::string_view kBackupDatabase = "jobs.db";
inline constexpr std::string_view kBackupModels = "models";

// Takes a snapshot: first the database by SQLite's online backup, then the other files. This order
// ensures that no checkpoint is older than the database's record of the checkpoint. Jobs continue
// meanwhile, but their folders are not removed until the files in them are open. A file that
// changes meanwhile is taken in its old or its new state. Skips temporary files. Blocks on the
// disk. Returns kResourceExhausted if the database's copy does not fit on the disk, or the files
// exceed half of the process's limit of open files. Returns kUnavailable if a file cannot be
// opened, a folder changes too fast, or folders are nested too deeply.
absl::StatusOr<StateSnapshot> TakeSnapshot(const BackupSources& sources);

}  // namespace vrp
