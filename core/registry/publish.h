// Moving a finished folder to its final name, so that a crash leaves all of it or nothing.
#pragma once

#include <string>

#include "absl/status/status.h"

namespace vrp {

// Flushes one file, or one folder's list of names, to the disk.
absl::Status SyncPath(const std::string& path);

// Flushes every file in `directory` and the folder itself to the disk.
absl::Status SyncTree(const std::string& directory);

// Renames `from` to `to`, never over something that is there (kAlreadyExists), and flushes the
// folder that holds `to`. Both on one file system. On an error all is where it was.
absl::Status MoveFolder(const std::string& from, const std::string& to);

}  // namespace vrp
