// Listening TCP sockets.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/open_file.h"
#include "server/config/listen_address.h"

namespace vrp {

// Returns a non-blocking listener on the first of the host's addresses that can be bound; -1 if
// none can.
OpenFile ListenOnFirst(const ListenAddress& address);

// Returns listeners on all of the host's addresses that can be bound, with the same port; empty if
// none can. 0.0.0.0 and [::] each stand for both, as in gRPC.
std::vector<OpenFile> ListenOnAll(const ListenAddress& address);

// Returns the port of a listener.
int32_t PortOf(const OpenFile& listener);

}  // namespace vrp
