// Reads whole files with a size limit, and writes them so that a crash leaves either the old or the
// new content.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace vrp {

// Default of the maximum size of a file that is read, in bytes.
inline constexpr int64_t kMaxFileBytes = int64_t{256} << 20;

// Returns the content of `path`. Blocks on the disk. Errors name the path. Returns kNotFound,
// kPermissionDenied, kInvalidArgument for a folder, or kResourceExhausted for more than
// `max_bytes`. Reads at most 1 MiB beyond `max_bytes`.
absl::StatusOr<std::string> ReadFile(const std::string& path, int64_t max_bytes = kMaxFileBytes);

// Replaces the content of `path`. Writes a temporary file in the same folder, fsyncs it, renames it
// and fsyncs the folder. After an error, no temporary file remains. The old file is then unchanged,
// unless only the folder could not be opened or fsynced. Thread-safe: of two writers, the later
// rename wins.
absl::Status AtomicWriteFile(const std::string& path, std::string_view content);

// Creates `path` and its parents (mode 0777 minus the umask). Returns OK if the folder already
// exists.
absl::Status EnsureDirectory(const std::string& path);

}  // namespace vrp
