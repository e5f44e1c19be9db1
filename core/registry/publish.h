// Moves a finished folder to its final name, so that a crash leaves all of it or nothing.
#pragma once

#include <string>

#include "absl/status/status.h"

namespace vrp {

// Flushes one file, or the entries of one folder, to the disk.
absl::Status SyncPath(const std::string& path);

// Flushes every file in `directory` and the folder itself to the disk.
absl::Status SyncTree(const std::string& directory);

// Renames `from` to `to` and flushes the folder that holds `to`. Both must be on one file system.
// kAlreadyExists: `to` exists. Nothing is moved on an error.
absl::Status MoveFolder(const std::string& from, const std::string& to);

}  // namespace vrp
