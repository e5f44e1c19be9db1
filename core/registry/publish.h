// Moves a finished folder to its final name, so that after a crash the folder has one of its two
// names and is complete.
#pragma once

#include <string>

#include "absl/status/status.h"

namespace vrp {

// Flushes one file, or the entries of one folder, to the disk.
absl::Status SyncPath(const std::string& path);

// Flushes `directory` and all files and folders below it to the disk.
absl::Status SyncTree(const std::string& directory);

// Renames `from` to `to` and flushes the folder that holds `to`. Both must be on one file system.
// Returns kAlreadyExists if `to` exists. If the flush fails, tries to undo the rename.
absl::Status MoveFolder(const std::string& from, const std::string& to);

}  // namespace vrp
