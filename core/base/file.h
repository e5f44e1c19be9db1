// Whole files, read with a size limit and written so that a crash leaves either the old or the new
// content.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace vrp {

inline constexpr int64_t kMaxFileBytes = int64_t{256} << 20;

// Returns the content of `path`. Blocks on the disk. Errors name the path: kNotFound,
// kPermissionDenied, kInvalidArgument (a folder), kResourceExhausted (more than `max_bytes`, which
// are never allocated).
absl::StatusOr<std::string> ReadFile(const std::string& path, int64_t max_bytes = kMaxFileBytes);

// Replaces the content of `path`: writes a temporary file in the same folder, fsyncs it, renames it
// and fsyncs the folder. On failure the old file is unchanged and no temporary file stays.
// Thread-safe; of two writers the later rename wins.
absl::Status AtomicWriteFile(const std::string& path, std::string_view content);

// Creates `path` and its parents (mode 0755 less the umask). Returns OK if the folder already
// exists.
absl::Status EnsureDirectory(const std::string& path);

}  // namespace vrp
