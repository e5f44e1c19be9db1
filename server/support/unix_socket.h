// Opens listening unix sockets.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/base/open_file.h"

namespace vrp {

// Listens on `path` with mode 0600, and replaces the socket of a dead daemon. The caller removes
// the file in the end. Changes the umask of the process during the call. Returns kUnavailable if
// another process listens there. Returns kInvalidArgument if `path` is another kind of file or
// cannot be checked, its folder does not exist, or the socket cannot be replaced or created there.
absl::StatusOr<OpenFile> ListenOnUnixSocket(const std::string& path);

}  // namespace vrp
