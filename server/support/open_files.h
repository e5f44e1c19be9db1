// How many files vrpd may have open, and for what.
#pragma once

#include <cstdint>

namespace vrp {

// From now on this process may open as many files as the system grants it: says how many.
int64_t AllowAllFiles();

// Of `wanted` connections as many as leave the rest of the daemon enough of `files`; at least 1.
int32_t ConnectionsThatFit(int32_t wanted, int64_t files);

}  // namespace vrp
