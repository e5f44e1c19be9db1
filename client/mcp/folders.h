// Reads files for tools, only from folders that the user allows.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace vrp::client::mcp {

// A set of folders whose files tools may read.
class Folders {
 public:
  // Resolves the folders. Without any, allows the working directory, unless that is the root.
  // Returns kInvalidArgument naming a path that is not an existing folder.
  static absl::StatusOr<Folders> Create(const std::vector<std::string>& paths);

  // Reads the file that an argument of a tool names. A relative path counts from the working
  // directory. Returns kPermissionDenied for a path that leads outside the folders, also by a link
  // or "..". Returns kInvalidArgument for a folder, a device, a missing or unreadable file,
  // and a file of more than kMaxInputBytes.
  absl::StatusOr<std::string> Read(const std::string& path) const;

  // Returns the folders, separated by commas; "none" if there are none.
  std::string Text() const;

 private:
  explicit Folders(std::vector<std::filesystem::path> folders) : folders_(std::move(folders)) {}

  std::vector<std::filesystem::path> folders_;  // canonical paths, without symbolic links
};

}  // namespace vrp::client::mcp
