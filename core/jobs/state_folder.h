// The folder in which a daemon keeps its jobs: its paths, and that only one daemon uses it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"

namespace vrp {

// Into a folder that has this one nothing but a backup was ever written, and not all of it.
inline constexpr std::string_view kRestoringFolder = ".restoring";

// Holds the folder's lock (flock on its file `lock`) as long as it lives; the lock goes with its
// process too.
class StateFolder {
 public:
  // Makes the folder when it is absent, for its owner only (0700). kFailedPrecondition: another
  // daemon has it, or a restore into it did not end.
  static absl::StatusOr<std::unique_ptr<StateFolder>> Open(const std::string& path);
  ~StateFolder();
  StateFolder(const StateFolder&) = delete;
  StateFolder& operator=(const StateFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string DatabasePath() const;
  std::string JobsPath() const;
  std::string JobPath(std::string_view job_id) const;
  std::string CheckpointPath(std::string_view job_id) const;
  // Label sets, which jobs of equal problems share.
  std::string LabelsPath() const;
  std::string MatricesPath() const;
  std::string DatasetsPath() const;
  // Apart from the job's own folder, which goes when the job has ended: its curves stay.
  std::string TensorBoardPath(std::string_view job_id) const;
  std::string TensorBoardPath() const;
  // For the file that a copy of the database is made in; what is left of such, and of markers, goes
  // at the next Open.
  std::string FreshCopyPath() const;

  // Held by who removes whole folders of jobs, and by who wants them to stay for a moment.
  absl::Mutex& removals() const { return removals_; }

 private:
  StateFolder(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}

  const std::string path_;
  const int lock_;  // descriptor
  mutable absl::Mutex removals_;
};

}  // namespace vrp
