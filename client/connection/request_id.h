// Type URL of an error's payload: the id of the request, as in the daemon's log.
#pragma once

namespace vrp::client {

inline constexpr char kRequestIdUrl[] = "vrp/request-id";

}  // namespace vrp::client
