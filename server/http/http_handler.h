// The interface of what an HTTP server serves.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "server/http/http_exchange.h"

namespace vrp {

// Thread-safe: connections call it at the same time.
class HttpHandler {
 public:
  virtual ~HttpHandler() = default;

  // Sends the response to the request of `exchange`, whose head has been read. Throws what
  // HttpRequestReader and HttpResponseWriter throw.
  virtual boost::asio::awaitable<void> Serve(HttpExchange& exchange) = 0;
};

}  // namespace vrp
