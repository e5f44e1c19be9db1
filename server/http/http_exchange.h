// A request and its response.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "grpcpp/support/status.h"
#include "server/http/gateway_call.h"
#include "server/http/http_context.h"
#include "server/http/http_request.h"
#include "server/http/http_response.h"
#include "server/http/http_routes.h"
#include "server/http/http_stream.h"
#include "server/http/wake_up.h"

namespace vrp {

// The parts of a connection that serve a request. Not thread-safe: all calls are on the
// connection's strand.
struct HttpExchange {
  HttpExchange(std::unique_ptr<HttpStream> given, HttpContext& shared);

  // Returns OK if the caller may call `method` (see CallAuthorizer::Caller), otherwise the error of
  // CallAuthorizer::Check. `authorizer` is null if callers need no token.
  absl::Status Authorize(CallAuthorizer* authorizer, std::string_view method);

  // Sends an error. If `http_status` is not 0, it replaces the status of the code. If the body has
  // not been read, the connection closes after the response.
  boost::asio::awaitable<void> SendError(grpc::Status status, int http_status = 0,
                                         HttpHeaders headers = {});

  // Returns the whole body; `share` holds its memory. Sends an error and returns nullopt if the
  // body is larger than max_message_bytes, or if other bodies take too much memory. Throws as
  // HttpRequestReader does.
  boost::asio::awaitable<std::optional<std::string>> ReadBody(MessageBudget::Share& share);

  // Starts a call of the route's RPC. Each change of the call notifies wake_up and upload_wake_up.
  // If the daemon is stopping, the call has already ended with UNAVAILABLE.
  std::shared_ptr<GatewayCall> StartCall(const HttpRoute& route);
  // Waits for a change of the call, at most for 250 ms. Throws boost::system::system_error if
  // `body_is_read` and the client has left.
  boost::asio::awaitable<void> WaitForChange(bool body_is_read = true);

  HttpContext& context;
  const std::unique_ptr<HttpStream> connection;
  const std::shared_ptr<WakeUp> wake_up;
  const std::shared_ptr<WakeUp> upload_wake_up;  // for the coroutine that sends the body
  HttpRequestReader request;
  HttpResponseWriter response;
};

// An owner of a call. The destructor cancels the call if it is not done.
class CallOwner {
 public:
  explicit CallOwner(std::shared_ptr<GatewayCall> call) : call_(std::move(call)) {}
  ~CallOwner() { call_->Cancel(); }
  CallOwner(const CallOwner&) = delete;
  CallOwner& operator=(const CallOwner&) = delete;
  GatewayCall* operator->() const { return call_.get(); }
  const std::shared_ptr<GatewayCall>& get() const { return call_; }

 private:
  const std::shared_ptr<GatewayCall> call_;
};

}  // namespace vrp
