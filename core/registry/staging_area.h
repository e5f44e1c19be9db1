// Temporary folders for models and datasets before publication, on the file system of their final
// folders. A later process removes the folders of a process that has died.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"

namespace vrp {

// A folder of temporary folders. A process holds a lock (flock) on each of its folders, so a folder
// without a lock belongs to a process that died. Several processes may share `directory`.
// Thread-safe; blocks on the disk.
class StagingArea {
 public:
  // Creates `directory` if it is absent, and removes the unlocked folders in it.
  static absl::StatusOr<std::unique_ptr<StagingArea>> Create(const std::string& directory);
  ~StagingArea();  // removes the folders that were neither released nor removed
  StagingArea(const StagingArea&) = delete;
  StagingArea& operator=(const StagingArea&) = delete;

  // Creates and locks a new folder. Returns its path.
  absl::StatusOr<std::string> Add();
  // Whether `folder` was created here and has been neither released nor removed since.
  bool Holds(const std::string& folder) const;
  // Forgets `folder`, which was moved elsewhere. Has no effect on unknown folders.
  void Release(const std::string& folder);
  // Removes `folder`. Has no effect on unknown folders.
  void Remove(const std::string& folder);
  // Replaces a file elsewhere on this file system durably. A crash leaves the old or the new file
  // and no other file beside it, because the temporary file is in the staging area.
  absl::Status ReplaceFile(const std::string& path, std::string_view content);

 private:
  explicit StagingArea(std::string directory) : directory_(std::move(directory)) {}

  absl::Status RemoveAbandoned();

  const std::string directory_;
  mutable absl::Mutex mutex_;
  std::map<std::string, int> held_
      ABSL_GUARDED_BY(mutex_);  // folder -> descriptor that holds its lock
};

}  // namespace vrp
