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

// Whether a problem asks for times of the vehicles' steps, as vroom-express does for `-c`.
bool IsPlanMode(std::string_view body) {
  if (body.find("\"options\"") == body.npos) return false;
  const absl::StatusOr<nlohmann::json> problem = ParseJsonText(body, "problem");
  if (!problem.ok() || !problem->is_object()) return false;
  const auto options = problem->find("options");
  return options != problem->end() && options->is_object() &&
         options->value("c", nlohmann::json()) == nlohmann::json(true);
}

template <typename Request>
absl::StatusOr<Request> RequestOf(std::string_view query, std::string body,
                                  bool has_road_networks) {
  Request request;
  const absl::StatusOr<std::string> fields = BinaryFromQuery(*Request::descriptor(), query);
  if (!fields.ok()) return fields.status();
  if (!request.ParseFromString(*fields)) return UnreadableError(Request::descriptor()->full_name());
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

// Calls an RPC with the problem in `body` and sends the plan that it renders.
template <typename Request, typename Response>
asio::awaitable<void> SendPlan(HttpExchange& exchange, const HttpRoute& route, std::string body) {
  absl::StatusOr<Request> request = RequestOf<Request>(exchange.request.query(), std::move(body),
                                                       exchange.context.has_road_networks);
  if (!request.ok()) {
    co_await SendVroomError(exchange, ToGrpcStatus(request.status()));
    co_return;
  }
  const std::string message = request->SerializeAsString();
  const UnaryResult result = co_await CallUnary(exchange, route, message);
  if (!result.status.ok()) {
    co_await SendVroomError(exchange, result.status);
    co_return;
  }
  Response response;
  if (!response.ParseFromString(result.response) || response.rendered_size() != 1) {
    co_await SendVroomError(
        exchange, grpc::Status(grpc::StatusCode::INTERNAL, "the response has no VROOM plan"));
    co_return;
  }
  HttpHead head{.status = 200, .content_type = "application/json"};
  std::string plan = std::move(*response.mutable_rendered(0)->mutable_content());
  co_await exchange.response.Send(std::move(head), std::move(plan));
}

}  // namespace

asio::awaitable<void> ServeVroom(HttpExchange& exchange, const HttpRoute& solve,
                                 const HttpRoute& check) {
  MessageBudget::Share share;
  std::optional<std::string> body = co_await exchange.ReadBody(share);
  if (!body.has_value()) co_return;
  if (IsPlanMode(*body)) {
    co_await SendPlan<v1::CheckSolutionRequest, v1::CheckSolutionResponse>(exchange, check,
                                                                           *std::move(body));
  } else {
    co_await SendPlan<v1::SolveRequest, v1::SolveResponse>(exchange, solve, *std::move(body));
  }
}

}  // namespace vrp
