#include "server/http/api_handler.h"

#include <utility>

#include "core/base/text.h"
#include "server/convert/status_convert.h"
#include "server/http/openapi_document.h"
#include "server/http/page_exchange.h"
#include "server/http/raw_upload.h"
#include "server/http/rpc_exchange.h"
#include "server/http/vroom_exchange.h"

namespace vrp {
namespace {

namespace asio = boost::asio;

constexpr char kJsonType[] = "application/json";
// The paths of the RPCs that answer requests in VROOM's form.
constexpr char kSolvePath[] = "/v1/solve";
constexpr char kCheckPath[] = "/v1/solutions:check";

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

// Refuses the method of a request. `allowed` names those of its path: "GET, DELETE".
asio::awaitable<void> RefuseVerb(HttpExchange& exchange, std::string allowed) {
  const absl::Status status = absl::UnimplementedError(
      Concat("method: got ", Quoted(exchange.request.method()), ", wanted ", allowed));
  HttpHeaders headers = {{"Allow", std::move(allowed)}};
  co_await exchange.SendError(ToGrpcStatus(status), 405, std::move(headers));
}

asio::awaitable<void> SendOpenApi(HttpExchange& exchange) {
  if (exchange.request.method() != "GET") co_return co_await RefuseVerb(exchange, "GET");
  HttpHead head{.status = 200, .content_type = kJsonType};
  co_await exchange.response.Send(std::move(head), std::string(OpenApiDocument()));
}

}  // namespace

asio::awaitable<void> ApiHandler::Serve(HttpExchange& exchange) {
  const HttpRequestReader& request = exchange.request;
  const PageFile* const file = FindPageFile(request.method(), request.path());
  GuardedRequest guarded;
  guarded.host = request.repeats("Host") ? "" : request.header("Host");
  // The page itself is public, so that other sites may link to it.
  if (file == nullptr) {
    guarded.origin = request.header("Origin");
    guarded.fetch_site = request.header("Sec-Fetch-Site");
  }
  const absl::Status trusted = guard_.Check(guarded);
  if (!trusted.ok()) co_return co_await exchange.SendError(ToGrpcStatus(trusted));
  if (file != nullptr) co_return co_await ServePage(exchange, *file);
  if (request.path() == "/v1/openapi.json") co_return co_await SendOpenApi(exchange);
  const bool is_vroom = request.path() == "/";
  const absl::StatusOr<HttpRouteMatch> match =
      FindHttpRoute(HttpRoutes(), request.method(), is_vroom ? kSolvePath : request.path());
  if (!match.ok()) co_return co_await exchange.SendError(ToGrpcStatus(match.status()));
  if (match->allowed.empty()) {
    const absl::Status status = absl::NotFoundError(
        Concat("there is no path ", Quoted(request.path()), "; /v1/openapi.json lists all"));
    co_return co_await exchange.SendError(ToGrpcStatus(status));
  }
  if (match->route == nullptr) co_return co_await RefuseVerb(exchange, match->allowed);
  co_await ServeMatch(exchange, *match, is_vroom);
}

asio::awaitable<void> ApiHandler::ServeMatch(HttpExchange& exchange, const HttpRouteMatch& match,
                                             bool is_vroom) {
  const HttpRoute& route = *match.route;
  const absl::Status authorized = exchange.Authorize(authorizer_.get(), route.grpc_path);
  if (!authorized.ok()) co_return co_await exchange.SendError(ToGrpcStatus(authorized));
  const std::string_view media_type = exchange.request.header("Content-Type");
  if (!route.takes_query() && !TakesMediaType(*route.rpc, media_type)) {
    const absl::Status status = absl::InvalidArgumentError(
        Concat("Content-Type: got ", Quoted(media_type), ", wanted ", MediaTypesOf(*route.rpc)));
    co_return co_await exchange.SendError(ToGrpcStatus(status), 415);
  }
  if (is_vroom) {
    // The path is that of an RPC, so the call cannot fail.
    const absl::StatusOr<HttpRouteMatch> check = FindHttpRoute(HttpRoutes(), "POST", kCheckPath);
    co_return co_await ServeVroom(exchange, route, *check->route);
  }
  co_await ServeRpc(exchange, match);
}

}  // namespace vrp
