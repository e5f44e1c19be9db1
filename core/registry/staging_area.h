// Folders in which models are made before they are published: on the same file system, and gone
// when their maker dies.
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

// A live maker holds a lock (flock) on each of its folders; a folder without a lock was left by one
// that died. So several processes may share a models folder. Thread-safe; blocks on the disk.
class StagingArea {
 public:
  // Makes `directory` when it is absent and removes the folders in it that nobody holds.
  static absl::StatusOr<std::unique_ptr<StagingArea>> Create(const std::string& directory);
  ~StagingArea();  // removes this process' folders
  StagingArea(const StagingArea&) = delete;
  StagingArea& operator=(const StagingArea&) = delete;

  absl::StatusOr<std::string> Add();
  // Whether `folder` was made here and not given away since.
  bool Holds(const std::string& folder) const;
  // Gives up `folder`, which was moved elsewhere. Harmless for others.
  void Release(const std::string& folder);
  // Gives up `folder` and removes it. Harmless for others.
  void Remove(const std::string& folder);
  // Writes a file that lies elsewhere on this file system, durably. A crash leaves the old file or
  // the new one, and nothing beside it: the temporary one lies here.
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
