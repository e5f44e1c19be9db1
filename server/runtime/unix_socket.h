// The file of a unix socket that vrpd listens on.
#pragma once

#include <string>

#include "absl/status/status.h"

namespace vrp {

// Makes way for a socket at `path`: one that a dead daemon left is removed. kUnavailable: somebody
// listens there; kInvalidArgument: something else has the name, or its folder is not there.
absl::Status ClearSocketPath(const std::string& path);

// Mode 0600: this user alone may connect.
absl::Status MakeSocketPrivate(const std::string& path);

}  // namespace vrp
