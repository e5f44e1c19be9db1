// Serves the requests of one connection.
#pragma once

#include <memory>

#include "server/http/http_exchange.h"

namespace vrp {

// A connection from its handshake to its end. Runs on the connection's strand. Create it with
// std::make_shared.
class HttpSession : public std::enable_shared_from_this<HttpSession> {
 public:
  // `context` must outlive the session.
  HttpSession(std::unique_ptr<HttpStream> connection, HttpContext& context)
      : exchange_(std::move(connection), context) {
    context.sessions.Add();
  }
  ~HttpSession() { exchange_.context.sessions.Remove(); }
  HttpSession(const HttpSession&) = delete;
  HttpSession& operator=(const HttpSession&) = delete;

  // Starts serving. The session lives until the connection ends.
  void Start();
  // Closes the connection if it waits for a request. Thread-safe.
  void EndIfIdle();
  // Closes the connection. Thread-safe.
  void Abort();

 private:
  template <typename T = void>
  using Awaitable = boost::asio::awaitable<T>;

  Awaitable<> Run();
  Awaitable<> ServeRequests();
  bool MayKeepAlive() const;

  HttpExchange exchange_;
};

}  // namespace vrp
