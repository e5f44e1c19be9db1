// Serves an HTTP request by an RPC.
#pragma once

#include <memory>
#include <string>

#include "server/http/http_exchange.h"

namespace vrp {

// The result of an RPC with one request and one response.
struct UnaryResult {
  grpc::Status status;
  std::string response;  // serialized; only if status is OK
  std::string request_id;
};

// Calls the RPC of `route` with the serialized `request`. Throws boost::system::system_error, and
// cancels the call, if the client leaves.
boost::asio::awaitable<UnaryResult> CallUnary(HttpExchange& exchange, const HttpRoute& route,
                                              const std::string& request);

// Serves the request of `exchange`, whose path, token and media type have been checked, by
// `match.route`. Server streams become Server-Sent Events, streams in both directions JSON lines.
boost::asio::awaitable<void> ServeRpc(HttpExchange& exchange, const HttpRouteMatch& match);

}  // namespace vrp
