#include "server/http/http_session.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/system/system_error.hpp>
#include <exception>

#include "absl/status/status.h"
#include "server/convert/status_convert.h"
#include "server/http/http_handler.h"
#include "server/support/logging.h"

namespace vrp {

namespace asio = boost::asio;

void HttpSession::Start() {
  asio::co_spawn(
      exchange_.connection->executor(),
      [self = shared_from_this()]() -> Awaitable<> { co_await self->Run(); }, asio::detached);
}

void HttpSession::EndIfIdle() {
  asio::post(exchange_.connection->executor(), [self = shared_from_this()] {
    if (!self->exchange_.request.has_begun()) self->exchange_.connection->Abort();
  });
}

void HttpSession::Abort() {
  asio::post(exchange_.connection->executor(), [self = shared_from_this()] {
    self->exchange_.connection->ShutDown();
    self->exchange_.wake_up->Notify();
  });
}

asio::awaitable<void> HttpSession::Run() {
  const HttpTimeouts& timeouts = exchange_.context.timeouts;
  try {
    co_await exchange_.connection->Handshake(HttpStream::After(timeouts.handshake));
    co_await ServeRequests();
    co_await exchange_.connection->Close(HttpStream::After(timeouts.linger));
  } catch (const boost::system::system_error&) {
    // The client has left or was too slow.
  } catch (const std::exception& error) {
    LogError("HTTP connection failed", {{.name = "error", .value = error.what()}});
  }
}

bool HttpSession::MayKeepAlive() const {
  const HttpContext& context = exchange_.context;
  return context.keep_alive && exchange_.request.keep_alive() && !context.draining;
}

asio::awaitable<void> HttpSession::ServeRequests() {
  do {
    HttpRefusal refusal{.status = 0, .message = ""};
    exchange_.response.Begin({});
    try {
      co_await exchange_.request.ReadHead();
      exchange_.response.Begin({.keep_alive = MayKeepAlive(),
                                .is_head = exchange_.request.method() == "HEAD",
                                .takes_chunks = exchange_.request.takes_chunks()});
      co_await exchange_.context.handler->Serve(exchange_);
    } catch (const HttpRefusal& thrown) {
      refusal = thrown;
    }
    if (refusal.status == 0) continue;
    exchange_.response.CloseAfter();
    if (exchange_.response.has_begun()) co_return;
    const absl::Status status = absl::InvalidArgumentError(refusal.message);
    co_return co_await exchange_.SendError(ToGrpcStatus(status), refusal.status);
  } while (exchange_.response.keep_alive() && exchange_.request.body_is_read() &&
           !exchange_.context.draining);
}

}  // namespace vrp
