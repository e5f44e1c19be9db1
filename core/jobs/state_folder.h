// The folder in which a daemon keeps its state: its paths and its lock.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"

namespace vrp {

// Name of a subfolder that marks an unfinished restore.
inline constexpr std::string_view kRestoringFolder = ".restoring";

// A locked state folder. It holds the lock (flock on the file `lock`) for its lifetime, so that
// only one daemon uses the folder. The system releases the lock when the process ends.
class StateFolder {
 public:
  // Locks the folder. Creates it (mode 0700) if it is absent. Returns kInvalidArgument for an empty
  // path, and kFailedPrecondition if another daemon uses the folder, or a restore into it did not
  // finish.
  static absl::StatusOr<std::unique_ptr<StateFolder>> Open(const std::string& path);
  ~StateFolder();
  StateFolder(const StateFolder&) = delete;
  StateFolder& operator=(const StateFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string DatabasePath() const;
  std::string JobsPath() const;
  std::string JobPath(std::string_view job_id) const;
  std::string CheckpointPath(std::string_view job_id) const;
  // Returns the folder in which a trial of a sweep keeps its model.
  std::string TrialModelPath(std::string_view job_id) const;
  // Returns the folder of label sets, which jobs with equal problems share.
  std::string LabelsPath() const;
  std::string MatricesPath() const;
  std::string DatasetsPath() const;
  // Returns the folder of a job's curves. This folder is outside the job's own folder, so that
  // curves outlive the job.
  std::string TensorBoardPath(std::string_view job_id) const;
  std::string TensorBoardPath() const;
  // Returns a path for a temporary copy of the database. The next Open removes copies that a crash
  // left behind.
  std::string TemporaryCopyPath() const;

  // Returns the lock to hold while removing whole folders of jobs, or while preventing their
  // removal.
  absl::Mutex& removals() const { return removals_; }

 private:
  StateFolder(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}

  const std::string path_;
  const int lock_;  // file descriptor of the lock file
  mutable absl::Mutex removals_;
};

}  // namespace vrp
