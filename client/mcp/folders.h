// The folders whose files tools may read.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace vrp::client::mcp {

class Folders {
 public:
  // Resolves the folders. Without any, allows the working directory, unless that is the root.
  // Returns kInvalidArgument naming a folder that does not exist.
  static absl::StatusOr<Folders> Create(const std::vector<std::string>& paths);

  // Reads the file that an argument of a tool names. A relative path counts from the working
  // directory. Returns kPermissionDenied for a path that leads outside the folders, also by a link
  // or "..", and kInvalidArgument for an unreadable file, a folder and a device.
  absl::StatusOr<std::string> Read(const std::string& path) const;

  // Returns the folders, separated by commas; "none".
  std::string Text() const;

 private:
  explicit Folders(std::vector<std::filesystem::path> folders) : folders_(std::move(folders)) {}

  std::vector<std::filesystem::path> folders_;  // without links
};

}  // namespace vrp::client::mcp
