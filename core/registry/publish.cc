#include "core/registry/publish.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "absl/cleanup/cleanup.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"

namespace vrp {
namespace {

namespace fs = std::filesystem;

// Renames a folder unless `to` exists. Returns 0 or the system's error number.
int RenameNoReplace(const std::string& from, const std::string& to) {
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  // This file system lacks the flag. A plain rename replaces only empty folders, and no published
  // folder is empty.
  return rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

}  // namespace

absl::Status SyncPath(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return absl::ErrnoToStatus(errno, Concat("open ", path));
  const absl::Cleanup closer = [descriptor] { close(descriptor); };
  // Some file systems cannot sync a folder (EINVAL) and offer no alternative.
  if (fsync(descriptor) == 0 || errno == EINVAL) return absl::OkStatus();
  return absl::ErrnoToStatus(errno, Concat("fsync ", path));
}

absl::Status SyncTree(const std::string& directory) {
  std::error_code error;
  fs::recursive_directory_iterator entry(directory, error);
  while (!error && entry != fs::recursive_directory_iterator()) {
    if (entry->is_regular_file(error) || entry->is_directory(error))
      VRP_RETURN_IF_ERROR(SyncPath(entry->path().string()));
    entry.increment(error);
  }
  if (error) return absl::ErrnoToStatus(error.value(), Concat("read folder ", directory));
  return SyncPath(directory);
}

absl::Status MoveFolder(const std::string& from, const std::string& to) {
  const int error = RenameNoReplace(from, to);
  if (error == EEXIST || error == ENOTEMPTY)
    return absl::AlreadyExistsError(Concat(to, ": already exists"));
  if (error != 0) return absl::ErrnoToStatus(error, Concat("rename ", from, " to ", to));
  absl::Status synced = SyncPath(fs::path(to).parent_path().string());
  // Undoes the rename, so that the caller can retry.
  if (!synced.ok()) RenameNoReplace(to, from);
  return synced;
}

}  // namespace vrp
