// Adjusts the limit of open files of this process.
#pragma once

#include <cstdint>

namespace vrp {

// Raises the soft limit of open files to the hard limit. Returns the soft limit, also if it cannot
// be raised, or 0 if it cannot be read.
int64_t RaiseOpenFileLimit();

// Returns the largest limit of connections, from 1 to `wanted`, that leaves enough of `files` for
// the rest of the daemon. gRPC, and HTTP if `with_http`, may each have as many connections.
int32_t ConnectionsWithin(int32_t wanted, int64_t files, bool with_http);

}  // namespace vrp
