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
// only one daemon uses the folder. The lock ends with the process.
class StateFolder {
 public:
  // Locks the folder and creates it (mode 0700) if it is absent. kFailedPrecondition: another
  // daemon has it, or a restore into it did not finish.
  static absl::StatusOr<std::unique_ptr<StateFolder>> Open(const std::string& path);
  ~StateFolder();
  StateFolder(const StateFolder&) = delete;
  StateFolder& operator=(const StateFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string DatabasePath() const;
  std::string JobsPath() const;
  std::string JobPath(std::string_view job_id) const;
  std::string CheckpointPath(std::string_view job_id) const;
  // Returns the folder of label sets, which jobs with equal problems share.
  std::string LabelsPath() const;
  std::string MatricesPath() const;
  std::string DatasetsPath() const;
  // Returns the folder of a job's curves. It is outside the job's own folder, so curves outlive it.
  std::string TensorBoardPath(std::string_view job_id) const;
  std::string TensorBoardPath() const;
  // Returns a path for a temporary copy of the database. The next Open removes the remains of
  // copies and of markers.
  std::string FreshCopyPath() const;

  // Returns the lock that is held to remove whole folders of jobs, or to keep them from being
  // removed.
  absl::Mutex& removals() const { return removals_; }

 private:
  StateFolder(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}

  const std::string path_;
  const int lock_;  // descriptor
  mutable absl::Mutex removals_;
};

}  // namespace vrp
