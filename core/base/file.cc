#include "core/base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "core/base/ids.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/base/write_all.h"

namespace vrp {
namespace {

constexpr size_t kChunkBytes = size_t{1} << 20;

absl::Status ErrnoError(int error, std::string_view what, std::string_view path) {
  if (error == EISDIR) {
    return absl::InvalidArgumentError(Concat(path, ": is a folder, wanted a file"));
  }
  return absl::ErrnoToStatus(error, Concat(what, " ", path));
}

absl::Status TooLarge(std::string_view path, int64_t max_bytes) {
  return absl::ResourceExhaustedError(
      Concat(path, ": has more than ", max_bytes, " bytes, the limit"));
}

absl::Status SyncFolder(const std::string& folder) {
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return ErrnoError(errno, "open folder", folder);
  const int result = fsync(descriptor);
  const int error = errno;
  close(descriptor);
  // Ignores EINVAL, because some file systems refuse to sync a folder and there is no alternative.
  if (result != 0 && error != EINVAL) return ErrnoError(error, "fsync folder", folder);
  return absl::OkStatus();
}

absl::Status WriteAndSync(const std::string& path, std::string_view content) {
  const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (descriptor < 0) return ErrnoError(errno, "create", path);
  absl::Status status = WriteAll(descriptor, content, path);
  if (status.ok() && fsync(descriptor) != 0) status = ErrnoError(errno, "fsync", path);
  if (close(descriptor) != 0 && status.ok()) status = ErrnoError(errno, "close", path);
  return status;
}

}  // namespace

absl::StatusOr<std::string> ReadFile(const std::string& path, int64_t max_bytes) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return ErrnoError(errno, "open", path);
  const absl::Cleanup close_it = [descriptor] { close(descriptor); };
  struct stat info {};
  if (fstat(descriptor, &info) != 0) return ErrnoError(errno, "stat", path);
  if (S_ISDIR(info.st_mode)) return ErrnoError(EISDIR, "read", path);
  if (info.st_size > max_bytes) return TooLarge(path, max_bytes);

  // The size that stat returns is only a hint, because pipes have none and files grow.
  std::string content;
  size_t used = 0;
  while (true) {
    const size_t hint = std::max<size_t>(static_cast<size_t>(info.st_size) + 1, kChunkBytes);
    if (used == content.size()) content.resize(used == 0 ? hint : used + kChunkBytes);
    const ssize_t got = read(descriptor, content.data() + used, content.size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return ErrnoError(errno, "read", path);
    if (got == 0) break;
    used += static_cast<size_t>(got);
    if (static_cast<int64_t>(used) > max_bytes) return TooLarge(path, max_bytes);
  }
  content.resize(used);
  content.shrink_to_fit();
  return content;
}

absl::Status AtomicWriteFile(const std::string& path, std::string_view content) {
  const std::string temporary = Concat(path, ".", NewId(), ".tmp");
  absl::Cleanup remove_it = [&temporary] { unlink(temporary.c_str()); };
  VRP_RETURN_IF_ERROR(WriteAndSync(temporary, content));
  if (rename(temporary.c_str(), path.c_str()) != 0) return ErrnoError(errno, "rename to", path);
  std::move(remove_it).Cancel();
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return SyncFolder(folder.empty() ? "." : folder);
}

absl::Status EnsureDirectory(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (!error && std::filesystem::is_directory(path, error)) return absl::OkStatus();
  if (!error) error = std::make_error_code(std::errc::not_a_directory);
  return ErrnoError(error.value(), "make folder", path);
}

}  // namespace vrp
