#include "core/registry/staging_area.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "core/base/file.h"
#include "core/base/ids.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/registry/publish.h"

namespace vrp {
namespace {

namespace fs = std::filesystem;

// Opens and locks `folder` and returns its descriptor. With LOCK_NB in `operation`, returns
// kUnavailable if another process holds the lock.
absl::StatusOr<int> OpenLocked(const std::string& folder, int operation) {
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (descriptor < 0) return absl::ErrnoToStatus(errno, Concat("open folder ", folder));
  int result = 0;
  do {
    result = flock(descriptor, operation);
  } while (result != 0 && errno == EINTR);
  if (result == 0) return descriptor;
  const int error = errno;
  close(descriptor);
  return absl::ErrnoToStatus(error, Concat("lock folder ", folder));
}

}  // namespace

absl::StatusOr<std::unique_ptr<StagingArea>> StagingArea::Create(const std::string& directory) {
  VRP_RETURN_IF_ERROR(EnsureDirectory(directory));
  std::unique_ptr<StagingArea> area(new StagingArea(directory));
  VRP_RETURN_IF_ERROR(area->RemoveAbandoned());
  return area;
}

StagingArea::~StagingArea() {
  absl::MutexLock lock(&mutex_);
  for (const auto& [folder, descriptor] : held_) {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
    close(descriptor);
  }
}

absl::Status StagingArea::RemoveAbandoned() {
  // The area's own lock keeps other processes from creating folders that are not locked yet.
  VRP_ASSIGN_OR_RETURN(const int area_lock, OpenLocked(directory_, LOCK_EX));
  const absl::Cleanup unlock = [area_lock] { close(area_lock); };
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory_, error)) {
    const absl::StatusOr<int> lock = OpenLocked(entry.path().string(), LOCK_EX | LOCK_NB);
    if (!lock.ok()) continue;  // another process uses the entry, or it is not a folder
    std::error_code ignored;   // remaining files are harmless
    fs::remove_all(entry.path(), ignored);
    close(*lock);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> StagingArea::Add() {
  VRP_ASSIGN_OR_RETURN(const int area_lock, OpenLocked(directory_, LOCK_EX));
  const absl::Cleanup unlock = [area_lock] { close(area_lock); };
  const std::string folder = (fs::path(directory_) / NewId()).string();
  if (mkdir(folder.c_str(), 0755) != 0)
    return absl::ErrnoToStatus(errno, Concat("make folder ", folder));
  VRP_ASSIGN_OR_RETURN(const int descriptor, OpenLocked(folder, LOCK_EX | LOCK_NB));
  absl::MutexLock lock(&mutex_);
  held_.emplace(folder, descriptor);
  return folder;
}

bool StagingArea::Holds(const std::string& folder) const {
  absl::MutexLock lock(&mutex_);
  return held_.contains(folder);
}

void StagingArea::Release(const std::string& folder) {
  absl::MutexLock lock(&mutex_);
  const auto found = held_.find(folder);
  if (found == held_.end()) return;
  close(found->second);
  held_.erase(found);
}

void StagingArea::Remove(const std::string& folder) {
  if (!Holds(folder)) return;
  std::error_code ignored;  // the next start retries
  fs::remove_all(folder, ignored);
  Release(folder);
}

absl::Status StagingArea::ReplaceFile(const std::string& path, std::string_view content) {
  VRP_ASSIGN_OR_RETURN(const std::string folder, Add());
  const absl::Cleanup discard = [&] { Remove(folder); };
  const std::string temporary = Concat(folder, "/file");
  VRP_RETURN_IF_ERROR(AtomicWriteFile(temporary, content));
  if (rename(temporary.c_str(), path.c_str()) != 0) {
    return absl::ErrnoToStatus(errno, Concat("rename ", temporary, " to ", path));
  }
  return SyncPath(fs::path(path).parent_path().string());
}

}  // namespace vrp
