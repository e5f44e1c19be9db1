// Reads and writes files that the user names.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <istream>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace vrp::client {

// Maximum size of a message, in bytes: the daemon's default. By design, a matrix of 5,000 nodes
// does not fit.
inline constexpr int kMaxMessageBytes = 64 << 20;
// Maximum size of a file within a message, in bytes. The limit leaves space for the message's other
// fields.
inline constexpr int64_t kMaxInputBytes = int64_t{kMaxMessageBytes} - (int64_t{64} << 10);

// Returns kInvalidArgument for a folder and for a missing or unreadable file. The errors of this
// function and of the next two do not contain the path; callers add it.
absl::Status CheckReadable(const std::string& path);
// Reads the rest of the stream. Returns kInvalidArgument above kMaxInputBytes and if reading fails.
absl::StatusOr<std::string> ReadStream(std::istream& stream);
// Reads the whole file; "-" means `standard_input`. Returns the errors of CheckReadable and
// ReadStream.
absl::StatusOr<std::string> ReadInput(const std::string& path, std::istream& standard_input);

// Returns "city.vrp" for "dir/city.vrp" and "stdin" for "-".
std::string BaseName(std::string_view path);

// A file that appears completely or not at all. It is written under a temporary name in the same
// folder and then renamed. Without Commit, no new file remains and an older one stays unchanged.
// Pipes and devices are written directly. Errors are kInternal and contain the path.
class OutputFile {
 public:
  // Opens the temporary file. `mode` is the file's mode before the umask, also if the file replaces
  // an older one.
  static absl::StatusOr<OutputFile> Create(const std::string& path, mode_t mode = 0666);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  absl::Status Write(std::string_view text);
  // Makes the file durable under its name. Must be called once, last.
  absl::Status Commit();

 private:
  OutputFile(int descriptor, std::string path, std::string temporary_path);
  absl::Status Flush();

  int descriptor_;
  std::string path_;
  std::string temporary_path_;  // empty if the file is written directly
  std::string buffer_;
};

// Writes `content` as an OutputFile.
absl::Status WriteFile(const std::string& path, std::string_view content);

}  // namespace vrp::client
