#include "server/http/http_session.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/system/system_error.hpp>
#include <exception>
#include <string>

#include "absl/strings/match.h"
#include "core/base/text.h"
#include "server/convert/status_convert.h"
#include "server/http/openapi_document.h"
#include "server/http/page_exchange.h"
#include "server/http/raw_upload.h"
#include "server/http/rpc_exchange.h"
#include "server/http/vroom_exchange.h"
#include "server/support/logging.h"

namespace vrp {
namespace {

namespace asio = boost::asio;

constexpr char kJsonType[] = "application/json";

// VROOM's form of requests is a form of this one.
constexpr char kSolvePath[] = "/v1/solve";

// Returns the media types that an RPC takes.
std::string MediaTypesOf(const google::protobuf::MethodDescriptor& rpc) {
  if (!rpc.client_streaming()) return kJsonType;
  return RawUpload::Of(*rpc.input_type()).has_value()
             ? "application/x-ndjson or application/octet-stream"
             : "application/x-ndjson";
}

bool TakesMediaType(const google::protobuf::MethodDescriptor& rpc, std::string_view type) {
  if (!rpc.client_streaming()) return IsMediaType(type, kJsonType);
  return IsMediaType(type, "application/x-ndjson") ||
         (IsMediaType(type, "application/octet-stream") &&
          RawUpload::Of(*rpc.input_type()).has_value());
}

}  // namespace

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

asio::awaitable<void> HttpSession::ServeRequests() {
  do {
    HttpRefusal refusal{.status = 0, .message = ""};
    exchange_.response.Begin(/*keep_alive=*/false);
    try {
      co_await exchange_.request.ReadHead();
      exchange_.response.Begin(exchange_.request.keep_alive() && !exchange_.context.draining);
      co_await ServeRequest();
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

absl::Status HttpSession::Authorize(std::string_view grpc_path) {
  CallAuthorizer* const authorizer = exchange_.context.authorizer.get();
  if (authorizer == nullptr) return absl::OkStatus();
  const std::string peer = exchange_.connection->peer();
  CallAuthorizer::Caller caller;
  caller.method = grpc_path;
  const std::string_view token = exchange_.request.header("Authorization");
  if (!token.empty()) caller.authorization = token;
  caller.user_agent = exchange_.request.header("User-Agent");
  caller.peer = peer;
  return authorizer->Check(caller);
}

asio::awaitable<void> HttpSession::RefuseVerb(std::string allowed) {
  const absl::Status status = absl::UnimplementedError(
      Concat("method: got ", Quoted(exchange_.request.method()), ", wanted ", allowed));
  HttpHeaders headers = {{"Allow", std::move(allowed)}};
  co_await exchange_.SendError(ToGrpcStatus(status), 405, std::move(headers));
}

asio::awaitable<void> HttpSession::ServeRequest() {
  const HttpRequestReader& request = exchange_.request;
  const PageFile* const file = FindPageFile(request.method(), request.path());
  GuardedRequest guarded;
  guarded.host = request.repeats("Host") ? "" : request.header("Host");
  // The page itself is public, so that other sites may link to it.
  if (file == nullptr) {
    guarded.origin = request.header("Origin");
    guarded.fetch_site = request.header("Sec-Fetch-Site");
  }
  const absl::Status trusted = exchange_.context.guard->Check(guarded);
  if (!trusted.ok()) co_return co_await exchange_.SendError(ToGrpcStatus(trusted));
  if (file != nullptr) co_return co_await ServePage(exchange_, *file);
  if (request.path() == "/v1/openapi.json") {
    if (request.method() != "GET") co_return co_await RefuseVerb("GET");
    HttpHead head{.status = 200, .content_type = kJsonType};
    co_return co_await exchange_.response.Send(std::move(head), std::string(OpenApiDocument()));
  }
  const bool is_vroom = request.path() == "/";
  const absl::StatusOr<HttpRouteMatch> match =
      FindHttpRoute(HttpRoutes(), request.method(), is_vroom ? kSolvePath : request.path());
  if (!match.ok()) co_return co_await exchange_.SendError(ToGrpcStatus(match.status()));
  if (match->allowed.empty()) {
    const absl::Status status = absl::NotFoundError(
        Concat("there is no path ", Quoted(request.path()), "; /v1/openapi.json lists all"));
    co_return co_await exchange_.SendError(ToGrpcStatus(status));
  }
  if (match->route == nullptr) co_return co_await RefuseVerb(match->allowed);
  co_await ServeMatch(*match, is_vroom);
}

asio::awaitable<void> HttpSession::ServeMatch(const HttpRouteMatch& match, bool is_vroom) {
  const HttpRoute& route = *match.route;
  const absl::Status authorized = Authorize(route.grpc_path);
  if (!authorized.ok()) co_return co_await exchange_.SendError(ToGrpcStatus(authorized));
  const std::string_view media_type = exchange_.request.header("Content-Type");
  if (!route.takes_query() && !TakesMediaType(*route.rpc, media_type)) {
    const absl::Status status = absl::InvalidArgumentError(
        Concat("Content-Type: got ", Quoted(media_type), ", wanted ", MediaTypesOf(*route.rpc)));
    co_return co_await exchange_.SendError(ToGrpcStatus(status), 415);
  }
  if (is_vroom) co_return co_await ServeVroom(exchange_, route);
  co_await ServeRpc(exchange_, match);
}

}  // namespace vrp
