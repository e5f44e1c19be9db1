// Files with secrets.
#pragma once

#include <string>

#include "absl/status/statusor.h"

namespace vrp {

// The content of `path`, which at most its owner and group may read. kPermissionDenied: others may
// read or write it, with the remedy; else as ReadFile. Never tells the content.
absl::StatusOr<std::string> ReadPrivateFile(const std::string& path);

}  // namespace vrp
