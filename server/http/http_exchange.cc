#include "server/http/http_exchange.h"

#include <algorithm>
#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>
#include <utility>

#include "core/base/text.h"
#include "server/convert/status_convert.h"
#include "server/http/http_errors.h"

namespace vrp {
namespace {

namespace asio = boost::asio;

// Interval at which a waiting request checks whether its client has left.
constexpr std::chrono::milliseconds kPeerPollInterval{250};

}  // namespace

HttpExchange::HttpExchange(std::unique_ptr<HttpStream> given, HttpContext& shared)
    : context(shared),
      connection(std::move(given)),
      wake_up(std::make_shared<WakeUp>(connection->executor())),
      upload_wake_up(std::make_shared<WakeUp>(connection->executor())),
      request(*connection, shared.timeouts),
      response(*connection, shared.timeouts) {}

absl::Status HttpExchange::Authorize(CallAuthorizer* authorizer, std::string_view method) {
  if (authorizer == nullptr) return absl::OkStatus();
  const std::string peer = connection->peer();
  CallAuthorizer::Caller caller;
  caller.method = method;
  const std::string_view token = request.header("Authorization");
  if (!token.empty()) caller.authorization = token;
  caller.user_agent = request.header("User-Agent");
  caller.peer = peer;
  return authorizer->Check(caller);
}

asio::awaitable<void> HttpExchange::SendError(grpc::Status status, int http_status,
                                              HttpHeaders headers) {
  HttpError error = ErrorOf(status, http_status);
  if (error.retry_after_s > 0) headers.emplace_back("Retry-After", Concat(error.retry_after_s));
  if (error.status == 401) headers.emplace_back("WWW-Authenticate", "Bearer");
  if (!request.body_is_read()) response.CloseAfter();
  HttpHead head{.status = error.status, .content_type = "application/json"};
  head.headers = std::move(headers);
  co_await response.Send(std::move(head), std::move(error.json));
}

asio::awaitable<std::optional<std::string>> HttpExchange::ReadBody(MessageBudget::Share& share) {
  const auto limit = static_cast<size_t>(context.max_message_bytes);
  const size_t expected = request.content_length().value_or(0);
  std::string body;
  while (expected <= limit) {
    std::string part = co_await request.ReadPart();
    if (part.empty()) co_return body;
    if (body.size() + part.size() > limit) break;
    const size_t needed = std::max(expected, body.size() + part.size());
    if (std::cmp_less(share.bytes(), needed)) {
      // The text doubles when it grows.
      absl::StatusOr<MessageBudget::Share> grown =
          context.bodies->Take(static_cast<int64_t>(expected > 0 ? needed : 2 * needed));
      if (!grown.ok()) {
        co_await SendError(ToGrpcStatus(grown.status()));
        co_return std::nullopt;
      }
      share = *std::move(grown);
    }
    if (body.empty()) body.reserve(expected);
    body += part;
  }
  co_await SendError(ToGrpcStatus(absl::ResourceExhaustedError(
                         Concat("the body is above max_message_mib, which is ", limit,
                                " bytes; send a smaller request"))),
                     413);
  co_return std::nullopt;
}

std::shared_ptr<GatewayCall> HttpExchange::StartCall(const HttpRoute& route) {
  GatewayCall::Options options;
  options.path = route.grpc_path;
  const std::string_view id = request.header("X-Request-Id");
  if (IsPrintableUtf8(id)) options.request_id = std::string(id);
  options.on_change = [wake_up = wake_up, upload_wake_up = upload_wake_up] {
    wake_up->Notify();
    upload_wake_up->Notify();
  };
  options.on_end = [&calls = context.calls] { calls.Remove(); };
  std::shared_ptr<GatewayCall> call;
  const bool started = context.call_gate.Pass([&] {
    context.calls.Add();
    call = GatewayCall::Start(context.channel, std::move(options));
  });
  return started ? call : GatewayCall::Refused(ToGrpcStatus(StoppingError()));
}

asio::awaitable<void> HttpExchange::WaitForChange(bool body_is_read) {
  co_await wake_up->Wait(kPeerPollInterval);
  if (body_is_read && connection->HasPeerLeft()) {
    throw boost::system::system_error(asio::error::make_error_code(asio::error::eof));
  }
}

}  // namespace vrp
