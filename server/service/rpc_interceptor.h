// Observes the beginning and the end of every request of every service.
#pragma once

#include <memory>

#include "grpcpp/support/server_interceptor.h"
#include "server/support/drain.h"
#include "server/support/metrics.h"

namespace vrp {

// Returns a factory of interceptors, which count and time requests and give each an id. The id is
// the caller's or a new one, returned in the trailing metadata `x-request-id`.
//
// The interceptors log each request at debug level, or at warn level for a fault of the daemon
// (INTERNAL, UNKNOWN, DATA_LOSS). They log the code that the caller received, which differs from
// the handler's if the call was cancelled. Both arguments outlive the server.
std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface> MakeRpcInterceptors(
    Metrics& metrics, const Drain& drain);

}  // namespace vrp
