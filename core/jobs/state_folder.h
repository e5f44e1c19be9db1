// The folder in which a daemon keeps its jobs: its paths, and that only one daemon uses it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace vrp {

// Holds the folder's lock (flock on its file `lock`) as long as it lives; the lock goes with its
// process too.
class StateFolder {
 public:
  // Makes the folder when it is absent, for its owner only (0700). kFailedPrecondition: another
  // daemon has it.
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
  // Apart from the job's own folder, which goes when the job has ended: its curves stay.
  std::string TensorBoardPath(std::string_view job_id) const;

 private:
  StateFolder(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}

  const std::string path_;
  const int lock_;  // descriptor
};

}  // namespace vrp
