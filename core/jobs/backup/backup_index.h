// The index of a backup: its first file, which states the program, the time and the schema versions
// of the backup.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace vrp {

// Name of the first file.
inline constexpr std::string_view kBackupIndexFile = "backup.json";
// Name of the last file: one line `SHA-256  path` per other file, as `sha256sum -c` reads them.
inline constexpr std::string_view kBackupSumsFile = "SHA256SUMS";

// The program and the time of a backup.
struct BackupIndex {
  std::string program;  // program that wrote the backup
  absl::Time created;
};

// Returns {"schema_version": 1, "program": ..., "created": ..., "schemas": {"database": 4, ...}}.
std::string WriteBackupIndex(const BackupIndex& index);

// Parses an index. Returns kFailedPrecondition if a schema's version is below 1 or newer than this
// program's. The error names both versions and the program that wrote the backup. Returns
// kInvalidArgument if `text` is not an index.
absl::StatusOr<BackupIndex> ParseBackupIndex(std::string_view text);

}  // namespace vrp
