// Sees each request of every service at its begin and its end, whatever its handler does.
#pragma once

#include <memory>

#include "grpcpp/support/server_interceptor.h"
#include "server/support/drain.h"
#include "server/support/metrics.h"

namespace vrp {

// Counts and times requests, gives each its id (the caller's or a fresh one, told in the trailing
// metadata `x-request-id`), and writes a line of the log for each: at debug; at warn where the
// daemon itself is at fault (INTERNAL, UNKNOWN, DATA_LOSS). The code is what the caller has heard:
// of a call that was cut, not what its handler gave. Both outlive the server that this is given to.
std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface> MakeRpcInterceptors(
    Metrics& metrics, const Drain& drain);

}  // namespace vrp
