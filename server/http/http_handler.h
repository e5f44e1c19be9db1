// The interface between the HTTP server and the handlers of its requests.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "server/http/http_exchange.h"

namespace vrp {

// A handler of requests. Thread-safe: connections call it at the same time.
class HttpHandler {
 public:
  virtual ~HttpHandler() = default;

  // Sends the response to the request of `exchange`, whose head has been read. Throws the
  // exceptions of HttpRequestReader and HttpResponseWriter.
  virtual boost::asio::awaitable<void> Serve(HttpExchange& exchange) = 0;
};

}  // namespace vrp
