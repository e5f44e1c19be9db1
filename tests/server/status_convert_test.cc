#include "server/convert/status_convert.h"

#include <string>

#include "core/base/text.h"
#include "google/rpc/error_details.pb.h"
#include "gtest/gtest.h"
#include "server/convert/field_violation.h"
#include "server/convert/names.h"
#include "server/convert/time_convert.h"

namespace vrp {
namespace {

google::rpc::Status DetailsOf(const grpc::Status& status) {
  google::rpc::Status details;
  EXPECT_TRUE(details.ParseFromString(status.error_details()));
  return details;
}

template <typename T>
T DetailOf(const grpc::Status& status) {
  T result;
  const google::rpc::Status details = DetailsOf(status);
  for (const auto& any : details.details()) {
    if (any.Is<T>()) any.UnpackTo(&result);
  }
  return result;
}

class EveryCode : public testing::TestWithParam<int> {};

TEST_P(EveryCode, KeepsCodeMessageAndReason) {
  const absl::Status status(static_cast<absl::StatusCode>(GetParam()), "what went wrong");
  const grpc::Status wire = ToGrpcStatus(status);
  EXPECT_EQ(static_cast<int>(wire.error_code()), GetParam());
  EXPECT_EQ(wire.error_message(), "what went wrong");
  EXPECT_EQ(DetailsOf(wire).code(), GetParam());
  EXPECT_EQ(DetailsOf(wire).message(), "what went wrong");
  const auto info = DetailOf<google::rpc::ErrorInfo>(wire);
  EXPECT_EQ(info.domain(), "vrp");
  EXPECT_EQ(info.reason(), absl::StatusCodeToString(status.code()));
  const bool retries = absl::IsResourceExhausted(status) || absl::IsUnavailable(status);
  EXPECT_EQ(DetailOf<google::rpc::RetryInfo>(wire).retry_delay().seconds(), retries ? 1 : 0);
}

INSTANTIATE_TEST_SUITE_P(ToGrpcStatus, EveryCode, testing::Range(1, 17));

TEST(ToGrpcStatus, ConvertsOk) { EXPECT_TRUE(ToGrpcStatus(absl::OkStatus()).ok()); }

TEST(ToGrpcStatus, CarriesFieldViolationsAndRetryDelay) {
  const auto bad =
      DetailOf<google::rpc::BadRequest>(ToGrpcStatus(InvalidField("a.b[2]", "got 1, wanted 2")));
  ASSERT_EQ(bad.field_violations_size(), 1);
  EXPECT_EQ(bad.field_violations(0).field(), "a.b[2]");
  EXPECT_EQ(bad.field_violations(0).description(), "got 1, wanted 2");
  const absl::Status busy =
      WithRetry(absl::ResourceExhaustedError("busy"), absl::Milliseconds(2500));
  const auto retry = DetailOf<google::rpc::RetryInfo>(ToGrpcStatus(busy));
  EXPECT_EQ(retry.retry_delay().seconds(), 2);
  EXPECT_EQ(retry.retry_delay().nanos(), 500'000'000);
}

TEST(ToGrpcStatus, BoundsTheSizeOfTrailers) {
  std::vector<FieldViolation> violations;
  for (int i = 0; i < 500; ++i)
    violations.push_back({Concat("customers[", i, "]"), std::string(400, 'x')});
  const grpc::Status wire =
      ToGrpcStatus(FieldError(absl::StatusCode::kInvalidArgument, violations));
  // gRPC percent-encodes the message, with up to three bytes for one. Base64 makes the details a
  // third longer.
  EXPECT_LT(wire.error_message().size() + wire.error_details().size() * 4 / 3, 8000u);
  const auto bad = DetailOf<google::rpc::BadRequest>(wire);
  ASSERT_GT(bad.field_violations_size(), 2);
  EXPECT_EQ(bad.field_violations(0).field(), "customers[0]");
  const std::string last = bad.field_violations(bad.field_violations_size() - 1).description();
  EXPECT_EQ(last, Concat("and ", 500 - (bad.field_violations_size() - 1), " more"));
}

TEST(ToGrpcStatus, EscapesUnprintableBytes) {
  const grpc::Status wire = ToGrpcStatus(absl::InternalError("a\xff\x01z"));
  EXPECT_TRUE(IsPrintableUtf8(wire.error_message())) << wire.error_message();
  const std::string umlauts = [] {
    std::string text;
    for (int i = 0; i < 2000; ++i) text += "\xc3\xa4";
    return text;
  }();
  EXPECT_TRUE(IsPrintableUtf8(ToGrpcStatus(absl::InternalError(umlauts)).error_message()));
}

TEST(WithField, CreatesAViolationPerLine) {
  const auto lines = ViolationsOf(
      WithField(absl::InvalidArgumentError("a.yaml:1: x: bad\na.yaml:2: y: bad"), "spec"));
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[1], (FieldViolation{"spec", "a.yaml:2: y: bad"}));
  const auto unimplemented =
      ViolationsOf(WithField(absl::UnimplementedError("depots: 2 given, wanted 1")));
  ASSERT_EQ(unimplemented.size(), 1u);
  EXPECT_EQ(unimplemented[0], (FieldViolation{"depots", "2 given, wanted 1"}));
  EXPECT_TRUE(ViolationsOf(WithField(absl::NotFoundError("x: y"))).empty());
}

TEST(StatusConvert, ReturnsTheReason) {
  const auto reason_of = [](const absl::Status& status) { return ReasonOf(ToGrpcStatus(status)); };
  EXPECT_EQ(reason_of(absl::NotFoundError("x")), "not_found");
  const absl::Status full = absl::ResourceExhaustedError("busy");
  EXPECT_EQ(reason_of(full), "resource_exhausted");
  EXPECT_EQ(reason_of(WithReason(full, "QUEUE_FULL")), "queue_full");
  EXPECT_EQ(reason_of(StoppingError()), "stopping");
  // gRPC's own errors have no details.
  EXPECT_EQ(ReasonOf(grpc::Status(grpc::StatusCode::UNIMPLEMENTED, "")), "unimplemented");
}

TEST(Names, ParsesValidNamesAndRefusesOthers) {
  EXPECT_EQ(*ParseJobName(JobKind::kTraining, "name", "trainingJobs/k3v9"), "k3v9");
  EXPECT_EQ(*ParseModelName("name", "models/a.b-c"), (ModelReference{"a.b-c", 0}));
  EXPECT_EQ(*ParseModelName("name", ModelVersionName("a", 12)), (ModelReference{"a", 12}));
  EXPECT_EQ(*ParseModelName("name", "models/a/aliases/blue"), (ModelReference{"a", 0, "blue"}));
  EXPECT_EQ(ParseAliasName("name", "models/a/aliases/blue")->alias, "blue");
  EXPECT_FALSE(ParseAliasName("name", "models/a/versions/1").ok());
  EXPECT_EQ(ParseVersionName("name", "models/a/versions/1")->version, 1);
  EXPECT_FALSE(ParseVersionName("name", "models/a").ok());
  EXPECT_FALSE(ParseVersionName("name", "models/a/aliases/blue").ok());
  for (const char* wrong :
       {"", "k3v9", "trainingJobs/", "trainingJobs/../x", "trainingJobs/a/b", "jobs/a"}) {
    EXPECT_EQ(ViolationsOf(ParseJobName(JobKind::kTraining, "name", wrong).status()).at(0).field,
              "name")
        << wrong;
  }
  for (const char* wrong :
       {"", "a", "models/", "models/..", "models/a/versions/0", "models/a/versions/-1",
        "models/a/versions/99999999999", "models/a/versions/1x", "models/a/version/1",
        "models/a/versions/ 1", "models/a/aliases/1", "models/a/aliases/",
        "models/a/aliases/latest", "models/a/b", "models//versions/1"}) {
    EXPECT_EQ(ViolationsOf(ParseModelName("model", wrong).status()).at(0).field, "model") << wrong;
  }
  EXPECT_FALSE(ParseModelName("model", "models/" + std::string(1 << 20, 'a')).ok());
}

TEST(Times, ConvertsBothWaysAndRefusesInvalidDurations) {
  for (const absl::Duration duration :
       {absl::Milliseconds(1), absl::Hours(1), -absl::Milliseconds(1500)}) {
    EXPECT_EQ(*FromProto(ToProto(duration)), duration);
  }
  EXPECT_TRUE(FromProto(ToProto(absl::InfiniteDuration())).ok());
  google::protobuf::Duration wrong;
  wrong.set_seconds(1);
  wrong.set_nanos(-1);
  EXPECT_FALSE(FromProto(wrong).ok());
  wrong.set_nanos(2'000'000'000);
  EXPECT_FALSE(FromProto(wrong).ok());
  wrong.set_nanos(0);
  wrong.set_seconds(INT64_MAX);
  EXPECT_FALSE(FromProto(wrong).ok());
  EXPECT_EQ(ToProto(absl::UnixEpoch() + absl::Milliseconds(1250)).nanos(), 250'000'000);
  EXPECT_EQ(ToProto(absl::InfinitePast()).seconds(), -62'135'596'800);
}

}  // namespace
}  // namespace vrp
