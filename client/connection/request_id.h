// The payload of an error that names the request in the daemon's log.
#pragma once

namespace vrp::client {

inline constexpr char kRequestIdUrl[] = "vrp/request-id";

}  // namespace vrp::client
