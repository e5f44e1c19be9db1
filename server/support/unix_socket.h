// The file of a unix socket that vrpd listens on.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/base/open_file.h"

namespace vrp {

// Listens on `path`, where this user alone may connect (mode 0600); a socket that a dead daemon
// left there is replaced. Whoever has the result removes the file when nobody shall connect any
// more. kUnavailable: somebody listens there; kInvalidArgument: something else has the name, or its
// folder is not there.
absl::StatusOr<OpenFile> ListenOnUnixSocket(const std::string& path);

}  // namespace vrp
