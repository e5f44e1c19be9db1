// Files that the user names.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <istream>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace vrp::client {

// Bytes of a message, sent or received: the daemon's default. A matrix of 5,000 nodes does not fit,
// by design.
inline constexpr int kMaxMessageBytes = 64 << 20;
// Bytes of a file that is sent in a message, which has room for all else besides.
inline constexpr int64_t kMaxInputBytes = int64_t{kMaxMessageBytes} - (int64_t{64} << 10);

// Errors are without the path, which whoever reports them knows. kNotFound is never given: a
// missing file is wrong input, kInvalidArgument.
absl::Status CheckReadable(const std::string& path);
// All that is left; kInvalidArgument above kMaxInputBytes.
absl::StatusOr<std::string> ReadStream(std::istream& stream);
// The whole content; "-" is `standard_input`. kInvalidArgument above kMaxInputBytes.
absl::StatusOr<std::string> ReadInput(const std::string& path, std::istream& standard_input);

// "dir/city.vrp" is "city.vrp"; "-" is "stdin".
std::string BaseName(std::string_view path);

// A file that comes into being complete or not at all: written under a temporary name beside it,
// then renamed. What is no regular file (/dev/stdout, a pipe) is written directly. Without Commit
// nothing is left behind.
class OutputFile {
 public:
  // `mode` of a new file, less the umask.
  static absl::StatusOr<OutputFile> Create(const std::string& path, mode_t mode = 0666);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  absl::Status Write(std::string_view text);
  // Durable when it returns. Call once, last.
  absl::Status Commit();

 private:
  OutputFile(int descriptor, std::string path, std::string temporary_path);
  absl::Status Flush();

  int descriptor_;
  std::string path_;
  std::string temporary_path_;  // empty: written directly
  std::string buffer_;
};

absl::Status WriteFile(const std::string& path, std::string_view content);

}  // namespace vrp::client
