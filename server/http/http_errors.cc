#include "server/http/http_errors.h"

#include <algorithm>

#include "absl/status/status.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "nlohmann/json.hpp"
#include "server/http/json_messages.h"

namespace vrp {
namespace {

int RetrySeconds(const google::rpc::Status& status) {
  google::rpc::RetryInfo retry;
  for (const auto& detail : status.details()) {
    if (!detail.Is<google::rpc::RetryInfo>() || !detail.UnpackTo(&retry)) continue;
    const auto& delay = retry.retry_delay();
    constexpr int64_t kMaxSeconds = 3600;
    const int64_t seconds = delay.seconds() + (delay.nanos() > 0 ? 1 : 0);
    return static_cast<int>(std::clamp<int64_t>(seconds, 1, kMaxSeconds));
  }
  return 0;
}

nlohmann::json DetailsOf(const google::rpc::Status& status) {
  const absl::StatusOr<std::string> json =
      JsonFromBinary(*google::rpc::Status::descriptor(), status.SerializeAsString());
  if (!json.ok()) return nlohmann::json::array();  // a detail of a type that is unknown here
  const nlohmann::json parsed = nlohmann::json::parse(*json, nullptr, /*allow_exceptions=*/false);
  return parsed.is_object() ? parsed.value("details", nlohmann::json::array())
                            : nlohmann::json::array();
}

}  // namespace

int HttpStatusOf(grpc::StatusCode code) {
  switch (code) {
    case grpc::StatusCode::OK:
      return 200;
    case grpc::StatusCode::CANCELLED:
      return 499;
    case grpc::StatusCode::INVALID_ARGUMENT:
    case grpc::StatusCode::FAILED_PRECONDITION:
    case grpc::StatusCode::OUT_OF_RANGE:
      return 400;
    case grpc::StatusCode::DEADLINE_EXCEEDED:
      return 504;
    case grpc::StatusCode::NOT_FOUND:
      return 404;
    case grpc::StatusCode::ALREADY_EXISTS:
    case grpc::StatusCode::ABORTED:
      return 409;
    case grpc::StatusCode::PERMISSION_DENIED:
      return 403;
    case grpc::StatusCode::UNAUTHENTICATED:
      return 401;
    case grpc::StatusCode::RESOURCE_EXHAUSTED:
      return 429;
    case grpc::StatusCode::UNIMPLEMENTED:
      return 501;
    case grpc::StatusCode::UNAVAILABLE:
      return 503;
    default:
      return 500;
  }
}

HttpError ErrorOf(const grpc::Status& status, int http_status) {
  google::rpc::Status details;
  if (!details.ParseFromString(status.error_details())) details.Clear();
  HttpError error{.status = http_status == 0 ? HttpStatusOf(status.error_code()) : http_status,
                  .json = "",
                  .retry_after_s = RetrySeconds(details)};
  const auto code = static_cast<absl::StatusCode>(status.error_code());
  nlohmann::ordered_json body = {{"code", error.status},
                                 {"status", absl::StatusCodeToString(code)},
                                 {"message", status.error_message()}};
  body["details"] = DetailsOf(details);
  error.json = nlohmann::ordered_json{{"error", body}}.dump(
      -1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  return error;
}

}  // namespace vrp
