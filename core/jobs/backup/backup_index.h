// What a backup says of itself, in its first file.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace vrp {

inline constexpr std::string_view kBackupIndexFile = "backup.json";
// The last file: a line `SHA-256  path` for each other one, as `sha256sum -c` takes them.
inline constexpr std::string_view kBackupSumsFile = "SHA256SUMS";

struct BackupIndex {
  std::string program;  // that made it
  absl::Time created;
};

// Schema: {"schema_version": 1, "program": ..., "created": ..., "schemas": {"database": 4, ...}}.
std::string WriteBackupIndex(const BackupIndex& index);

// kFailedPrecondition names the schema that is newer than this program's, the two numbers and the
// program that made the backup; kInvalidArgument: it is no index.
absl::StatusOr<BackupIndex> ParseBackupIndex(std::string_view text);

}  // namespace vrp
