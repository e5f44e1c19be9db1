// Functions that read whole files with a size limit, and write them so that a crash leaves either
// the old or the new content.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace vrp {

inline constexpr int64_t kMaxFileBytes = int64_t{256} << 20;

// Returns the content of `path`. Blocks on the disk. Errors name the path. Returns kNotFound,
// kPermissionDenied, kInvalidArgument for a folder, or kResourceExhausted for more than
// `max_bytes`. Never allocates more than `max_bytes`.
absl::StatusOr<std::string> ReadFile(const std::string& path, int64_t max_bytes = kMaxFileBytes);

// Replaces the content of `path`. Writes a temporary file in the same folder, fsyncs it, renames it
// and fsyncs the folder. On failure the old file is unchanged and no temporary file remains.
// Thread-safe: of two writers, the later rename wins.
absl::Status AtomicWriteFile(const std::string& path, std::string_view content);

// Creates `path` and its parents (mode 0755 minus the umask). Returns OK if the folder already
// exists.
absl::Status EnsureDirectory(const std::string& path);

}  // namespace vrp
