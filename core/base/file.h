// Whole files, read with a limit and written so that a crash leaves the old or the new content,
// never a part.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace vrp {

inline constexpr int64_t kMaxFileBytes = int64_t{256} << 20;

// Blocks on the disk. Errors name the path: kNotFound, kPermissionDenied, kInvalidArgument (a
// folder), kResourceExhausted (more than `max_bytes`; nothing of that size is allocated).
absl::StatusOr<std::string> ReadFile(const std::string& path, int64_t max_bytes = kMaxFileBytes);

// Writes a temporary file in the same folder, fsyncs it, renames it to `path`, fsyncs the folder.
// On failure the old file is as it was, and no temporary file stays. Thread-safe; of two writers
// the later rename wins.
absl::Status AtomicWriteFile(const std::string& path, std::string_view content);

// Makes `path` and its parents (mode 0755 less the umask). OK when it is a folder already.
absl::Status EnsureDirectory(const std::string& path);

}  // namespace vrp
