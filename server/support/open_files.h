// Adjusts the limit of open files of this process.
#pragma once

#include <cstdint>

namespace vrp {

// Raises the soft limit of open files to the hard limit. Returns the soft limit, also if it cannot
// be raised, or 0 if it cannot be read.
int64_t RaiseOpenFileLimit();

// Returns the largest number of connections, from 1 to `wanted`, that leaves enough of `files` for
// the rest of the daemon.
int32_t ConnectionsWithin(int32_t wanted, int64_t files);

}  // namespace vrp
