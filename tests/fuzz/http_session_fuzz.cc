// Fuzzes a connection to the HTTP server: heads, routes, JSON, queries and uploads, up to the call
// of the RPC. The first byte is the size of the pieces in which the others come; 0: all at once.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/text.h"
#include "server/convert/status_convert.h"
#include "server/http/browser_guard.h"
#include "server/http/http_handler.h"
#include "server/http/http_session.h"
#include "server/http/json_messages.h"
#include "server/http/request_message.h"
#include "server/http/upload_source.h"
#include "tests/server/http/memory_stream.h"

namespace vrp {
namespace {

namespace asio = boost::asio;

constexpr int64_t kMaxMessageBytes = 64 << 10;

// A handler that reads requests as the API does and echoes their messages.
class EchoHandler final : public HttpHandler {
 public:
  asio::awaitable<void> Serve(HttpExchange& exchange) override {
    const HttpRequestReader& request = exchange.request;
    const absl::Status trusted = guard_.Check({.host = request.header("Host"),
                                               .origin = request.header("Origin"),
                                               .fetch_site = request.header("Sec-Fetch-Site")});
    if (!trusted.ok()) co_return co_await exchange.SendError(ToGrpcStatus(trusted));
    const absl::StatusOr<HttpRouteMatch> match =
        FindHttpRoute(HttpRoutes(), request.method(), request.path());
    if (!match.ok()) co_return co_await exchange.SendError(ToGrpcStatus(match.status()));
    if (match->route == nullptr) {
      co_return co_await exchange.SendError(ToGrpcStatus(absl::NotFoundError(match->allowed)));
    }
    if (match->route->rpc->client_streaming()) {
      co_await ReadUpload(exchange, *match->route);
    } else {
      co_await ReadMessage(exchange, *match);
    }
  }

 private:
  static asio::awaitable<void> ReadUpload(HttpExchange& exchange, const HttpRoute& route) {
    std::optional<UploadSource> source = UploadSource::Of(exchange, route);
    absl::Status status = absl::InvalidArgumentError("media type");
    while (source.has_value()) {
      const absl::StatusOr<std::optional<std::string>> message = co_await source->Next();
      status = message.status();
      if (!message.ok()) break;
      if (!message->has_value()) co_return co_await Send(exchange, "{}");
      if (!JsonFromBinary(*route.rpc->input_type(), **message).ok()) std::abort();
    }
    co_await exchange.SendError(ToGrpcStatus(status));
  }

  static asio::awaitable<void> ReadMessage(HttpExchange& exchange, const HttpRouteMatch& match) {
    MessageBudget::Share share;
    const std::optional<std::string> body = co_await exchange.ReadBody(share);
    if (!body.has_value()) co_return;
    const absl::StatusOr<std::string> message =
        RequestMessageOf(match, exchange.request.query(), *body);
    if (!message.ok()) co_return co_await exchange.SendError(ToGrpcStatus(message.status()));
    const google::protobuf::Descriptor& type = *match.route->rpc->input_type();
    const absl::StatusOr<std::string> json = JsonFromBinary(type, *message);
    if (!json.ok() || !BinaryFromJson(type, *json).ok()) std::abort();
    co_await Send(exchange, *json);
  }

  static asio::awaitable<void> Send(HttpExchange& exchange, std::string body) {
    HttpHead head{.status = 200, .content_type = "application/json"};
    co_await exchange.response.Send(std::move(head), std::move(body));
  }

  const BrowserGuard guard_{BrowserGuard::Options{.tls = false, .hosts = {}}};
};

void Serve(std::string_view bytes, size_t piece) {
  HttpContext context;
  context.handler = std::make_unique<EchoHandler>();
  context.max_message_bytes = kMaxMessageBytes;
  context.bodies = std::make_unique<MessageBudget>(
      MessageBudget::Options{.per_message = kMaxMessageBytes, .total = 4 * kMaxMessageBytes});
  test::MemoryPeer peer;
  for (size_t i = 0; i < bytes.size(); i += piece) peer.pieces.emplace_back(bytes.substr(i, piece));
  asio::io_context io;
  std::make_shared<HttpSession>(std::make_unique<test::MemoryStream>(io.get_executor(), peer),
                                context)
      ->Start();
  io.run();
  if (context.sessions.count() != 0 || context.bodies->taken() != 0) std::abort();
  if (!peer.written.empty() && peer.written.rfind("HTTP/1.1 ", 0) != 0) std::abort();
}

}  // namespace
}  // namespace vrp

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  vrp::Serve(bytes, data[0] == 0 ? size : data[0]);
  return 0;
}
