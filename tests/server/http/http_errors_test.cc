// Tests the HTTP form of errors.
#include "server/http/http_errors.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "google/protobuf/wrappers.pb.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "server/convert/field_violation.h"
#include "server/convert/status_convert.h"

namespace vrp {
namespace {

TEST(HttpErrorsTest, MapCodesAsGoogleRpcDoes) {
  // The values are those in the comments of google/rpc/code.proto.
  const std::vector<std::pair<absl::StatusCode, int>> wanted = {
      {absl::StatusCode::kCancelled, 499},          {absl::StatusCode::kUnknown, 500},
      {absl::StatusCode::kInvalidArgument, 400},    {absl::StatusCode::kDeadlineExceeded, 504},
      {absl::StatusCode::kNotFound, 404},           {absl::StatusCode::kAlreadyExists, 409},
      {absl::StatusCode::kPermissionDenied, 403},   {absl::StatusCode::kResourceExhausted, 429},
      {absl::StatusCode::kFailedPrecondition, 400}, {absl::StatusCode::kAborted, 409},
      {absl::StatusCode::kOutOfRange, 400},         {absl::StatusCode::kUnimplemented, 501},
      {absl::StatusCode::kInternal, 500},           {absl::StatusCode::kUnavailable, 503},
      {absl::StatusCode::kDataLoss, 500},           {absl::StatusCode::kUnauthenticated, 401}};
  for (const auto& [code, status] : wanted) {
    const HttpError error = ErrorOf(ToGrpcStatus(absl::Status(code, "why")));
    EXPECT_EQ(error.status, status);
    const nlohmann::json body = nlohmann::json::parse(error.json).at("error");
    EXPECT_EQ(body.at("code"), status);
    EXPECT_EQ(body.at("status"), absl::StatusCodeToString(code));
    EXPECT_EQ(body.at("message"), "why");
    EXPECT_TRUE(body.at("details").is_array());
  }
  EXPECT_EQ(HttpStatusOf(grpc::StatusCode::OK), 200);
  EXPECT_EQ(ErrorOf(ToGrpcStatus(absl::InvalidArgumentError("x")), 415).status, 415);
}

TEST(HttpErrorsTest, ListViolationsOfFields) {
  const HttpError error =
      ErrorOf(ToGrpcStatus(InvalidField("customers[17].demand", "is negative")));
  const auto json = nlohmann::json::parse(error.json);
  std::string field;
  for (const auto& detail : json.at("error").at("details")) {
    if (detail.at("@type") != "type.googleapis.com/google.rpc.BadRequest") continue;
    field = detail.at("fieldViolations").at(0).at("field").get<std::string>();
  }
  EXPECT_EQ(field, "customers[17].demand");
}

grpc::Status WithDetail(const google::protobuf::Message& detail) {
  google::rpc::Status status;
  status.set_code(8);
  status.add_details()->PackFrom(detail);
  return {grpc::StatusCode::RESOURCE_EXHAUSTED, "busy", status.SerializeAsString()};
}

TEST(HttpErrorsTest, RoundRetryDelaysUpToSecondsAndCapThemAtAnHour) {
  google::rpc::RetryInfo retry;
  retry.mutable_retry_delay()->set_nanos(200'000'000);
  EXPECT_EQ(ErrorOf(WithDetail(retry)).retry_after_s, 1);
  retry.mutable_retry_delay()->set_seconds(4);
  EXPECT_EQ(ErrorOf(WithDetail(retry)).retry_after_s, 5);
  retry.mutable_retry_delay()->set_seconds(1 << 30);
  EXPECT_EQ(ErrorOf(WithDetail(retry)).retry_after_s, 3600);
  EXPECT_EQ(ErrorOf(ToGrpcStatus(absl::InternalError("x"))).retry_after_s, 0);
}

TEST(HttpErrorsTest, SurviveUnreadableDetails) {
  google::rpc::Status unknown;
  unknown.add_details()->set_type_url("type.googleapis.com/no.such.Type");
  for (const std::string& details : {std::string("\xff\xff"), unknown.SerializeAsString()}) {
    const HttpError error = ErrorOf({grpc::StatusCode::ABORTED,
                                     "mess\xff"
                                     "age",
                                     details});
    EXPECT_EQ(error.status, 409);
    EXPECT_TRUE(nlohmann::json::parse(error.json).at("error").at("details").is_array());
  }
}

}  // namespace
}  // namespace vrp
