// Opens listening TCP sockets.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/open_file.h"
#include "server/config/listen_address.h"

namespace vrp {

// Returns non-blocking listeners on all of the host's addresses that can be bound, with the same
// port. Returns none if no address can be bound. As in gRPC, 0.0.0.0 and [::] each mean both.
std::vector<OpenFile> ListenOnAll(const ListenAddress& address);

// Returns the port of a listener, or 0 on an error.
int32_t PortOf(const OpenFile& listener);

}  // namespace vrp
