#include "server/http/vroom_exchange.h"

#include <optional>
#include <string>
#include <utility>

#include "core/base/json.h"
#include "nlohmann/json.hpp"
#include "server/convert/status_convert.h"
#include "server/http/http_errors.h"
#include "server/http/json_messages.h"
#include "server/http/rpc_exchange.h"
#include "vrp/v1/solve.pb.h"
#include "vrp/v1/solver_service.pb.h"

namespace vrp {
namespace {

namespace asio = boost::asio;

// VROOM's error codes.
constexpr int kInternalError = 1;
constexpr int kInputError = 2;

// The profile of vehicles that state none.
constexpr char kDefaultProfile[] = "car";

// Whether a problem has matrices itself. True also for a body that is no JSON object, which the
// reader of VROOM's format refuses later with a better error.
bool HasMatrices(std::string_view body) {
  const absl::StatusOr<nlohmann::json> problem = ParseJsonText(body, "problem");
  return !problem.ok() || !problem->is_object() || problem->contains("matrices") ||
         problem->contains("matrix");
}

absl::StatusOr<v1::SolveRequest> RequestOf(std::string_view query, std::string body,
                                           bool has_road_networks) {
  v1::SolveRequest request;
  const absl::StatusOr<std::string> fields =
      BinaryFromQuery(*v1::SolveRequest::descriptor(), query);
  if (!fields.ok()) return fields.status();
  if (!request.ParseFromString(*fields)) return UnreadableError("vrp.v1.SolveRequest");
  request.mutable_file()->set_name("problem");
  request.mutable_file()->set_format(v1::INSTANCE_FORMAT_VROOM);
  if (has_road_networks && request.file().road_network().empty() && !HasMatrices(body)) {
    request.mutable_file()->set_road_network(kDefaultProfile);
  }
  request.mutable_file()->set_content(std::move(body));
  request.clear_render();
  request.add_render(v1::SOLUTION_FORMAT_VROOM);
  return request;
}

asio::awaitable<void> SendVroomError(HttpExchange& exchange, grpc::Status status) {
  const HttpError error = ErrorOf(status);
  const nlohmann::ordered_json body = {{"code", error.status == 400 ? kInputError : kInternalError},
                                       {"error", status.error_message()}};
  HttpHead head{.status = error.status, .content_type = "application/json"};
  if (error.retry_after_s > 0) {
    head.headers.emplace_back("Retry-After", std::to_string(error.retry_after_s));
  }
  std::string text = body.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  co_await exchange.response.Send(std::move(head), std::move(text));
}

}  // namespace

asio::awaitable<void> ServeVroom(HttpExchange& exchange, const HttpRoute& solve) {
  MessageBudget::Share share;
  std::optional<std::string> body = co_await exchange.ReadBody(share);
  if (!body.has_value()) co_return;
  absl::StatusOr<v1::SolveRequest> request =
      RequestOf(exchange.request.query(), *std::move(body), exchange.context.has_road_networks);
  if (!request.ok()) co_return co_await SendVroomError(exchange, ToGrpcStatus(request.status()));
  std::string message = request->SerializeAsString();
  const UnaryResult result = co_await CallUnary(exchange, solve, std::move(message));
  if (!result.status.ok()) co_return co_await SendVroomError(exchange, result.status);
  v1::SolveResponse response;
  if (!response.ParseFromString(result.response) || response.rendered_size() != 1) {
    co_return co_await SendVroomError(
        exchange, grpc::Status(grpc::StatusCode::INTERNAL, "the response has no VROOM plan"));
  }
  HttpHead head{.status = 200, .content_type = "application/json"};
  std::string plan = std::move(*response.mutable_rendered(0)->mutable_content());
  co_await exchange.response.Send(std::move(head), std::move(plan));
}

}  // namespace vrp
