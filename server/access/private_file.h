// Reads files with secrets.
#pragma once

#include <string>

#include "absl/status/statusor.h"

namespace vrp {

// Returns the content of `path`, which only its owner and group may access. Returns
// kPermissionDenied if the mode of a regular file gives other users any access; the message has the
// remedy. Also returns the errors of ReadFile. No message shows the content.
absl::StatusOr<std::string> ReadPrivateFile(const std::string& path);

}  // namespace vrp
