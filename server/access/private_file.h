// Files with secrets.
#pragma once

#include <string>

#include "absl/status/statusor.h"

namespace vrp {

// Returns the content of `path`, which only its owner and group may access. kPermissionDenied:
// other users can read or write it; the message has the remedy. Other errors are those of ReadFile.
// No message shows the content.
absl::StatusOr<std::string> ReadPrivateFile(const std::string& path);

}  // namespace vrp
