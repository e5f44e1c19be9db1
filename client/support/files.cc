#include "client/support/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include "absl/strings/str_cat.h"

namespace vrp::client {
namespace {

constexpr size_t kWriteBufferBytes = 1 << 16;

absl::Status WriteError(const std::string& path, int error) {
  return absl::InternalError(absl::StrCat("cannot write ", path, ": ", std::strerror(error)));
}

// Makes the name of a new file durable.
absl::Status SyncFolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return WriteError(path, errno);
  const int result = fsync(descriptor);
  const int error = errno;
  close(descriptor);
  // Some file systems refuse to sync a folder (EINVAL).
  return result == 0 || error == EINVAL ? absl::OkStatus() : WriteError(path, error);
}

}  // namespace

absl::StatusOr<std::string> ReadStream(std::istream& stream) {
  std::string content;
  char chunk[1 << 16];
  while (stream.read(chunk, sizeof chunk), stream.gcount() > 0) {
    content.append(chunk, static_cast<size_t>(stream.gcount()));
    if (static_cast<int64_t>(content.size()) > kMaxInputBytes) {
      return absl::InvalidArgumentError(absl::StrCat(
          "more than ", kMaxInputBytes,
          " bytes, the limit of a file in a message; use coordinates instead of a matrix, or put "
          "many instances into a .jsonl file"));
    }
  }
  if (stream.bad()) return absl::InvalidArgumentError("cannot be read");
  return content;
}

absl::Status CheckReadable(const std::string& path) {
  struct stat info = {};
  if (stat(path.c_str(), &info) != 0 || access(path.c_str(), R_OK) != 0) {
    return absl::InvalidArgumentError(std::strerror(errno));
  }
  if (S_ISDIR(info.st_mode)) return absl::InvalidArgumentError("is a directory, wanted a file");
  return absl::OkStatus();
}

absl::StatusOr<std::string> ReadInput(const std::string& path, std::istream& standard_input) {
  if (path == "-") return ReadStream(standard_input);
  absl::Status readable = CheckReadable(path);
  if (!readable.ok()) return readable;
  std::ifstream file(path, std::ios::binary);
  if (!file) return absl::InvalidArgumentError(std::strerror(errno));
  return ReadStream(file);
}

std::string BaseName(std::string_view path) {
  if (path == "-") return "stdin";
  const size_t slash = path.rfind('/');
  return std::string(slash == std::string_view::npos ? path : path.substr(slash + 1));
}

absl::StatusOr<OutputFile> OutputFile::Create(const std::string& path, mode_t mode) {
  struct stat info = {};
  if (stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    const int descriptor = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor < 0) return WriteError(path, errno);
    return OutputFile(descriptor, path, "");
  }
  std::string temporary = absl::StrCat(path, ".", getpid(), ".tmp");
  const int descriptor = open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (descriptor < 0) return WriteError(path, errno);
  return OutputFile(descriptor, path, std::move(temporary));
}

OutputFile::OutputFile(int descriptor, std::string path, std::string temporary_path)
    : descriptor_(descriptor), path_(std::move(path)), temporary_path_(std::move(temporary_path)) {}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      path_(std::move(other.path_)),
      temporary_path_(std::exchange(other.temporary_path_, "")),
      buffer_(std::move(other.buffer_)) {}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) close(descriptor_);
  if (!temporary_path_.empty()) unlink(temporary_path_.c_str());
}

absl::Status OutputFile::Write(std::string_view text) {
  buffer_ += text;
  if (buffer_.size() < kWriteBufferBytes) return absl::OkStatus();
  return Flush();
}

absl::Status OutputFile::Flush() {
  std::string_view rest = buffer_;
  while (!rest.empty()) {
    const ssize_t written = write(descriptor_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return WriteError(path_, errno);
    rest.remove_prefix(static_cast<size_t>(written));
  }
  buffer_.clear();
  return absl::OkStatus();
}

absl::Status OutputFile::Commit() {
  const absl::Status flushed = Flush();
  if (!flushed.ok()) return flushed;
  if (!temporary_path_.empty() && fsync(descriptor_) != 0) return WriteError(path_, errno);
  if (close(std::exchange(descriptor_, -1)) != 0) return WriteError(path_, errno);
  if (temporary_path_.empty()) return absl::OkStatus();
  if (rename(temporary_path_.c_str(), path_.c_str()) != 0) return WriteError(path_, errno);
  temporary_path_.clear();
  return SyncFolderOf(path_);
}

absl::Status WriteFile(const std::string& path, std::string_view content) {
  absl::StatusOr<OutputFile> file = OutputFile::Create(path);
  if (!file.ok()) return file.status();
  const absl::Status written = file->Write(content);
  return written.ok() ? file->Commit() : written;
}

}  // namespace vrp::client
