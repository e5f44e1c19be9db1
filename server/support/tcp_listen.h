// TCP sockets that listen where vrpd is told to.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/open_file.h"
#include "server/config/listen_address.h"

namespace vrp {

// On the first of the host's addresses that is to be had; -1: on none. It does not block.
OpenFile ListenOnFirst(const ListenAddress& address);

// On all of the host's addresses that are to be had, with one port; 0.0.0.0 and [::] stand for
// both, as gRPC has it. Empty: on none.
std::vector<OpenFile> ListenOnAll(const ListenAddress& address);

// The port that was bound.
int32_t PortOf(const OpenFile& listener);

}  // namespace vrp
