#include "client/output/error_text.h"

#include "absl/strings/cord.h"
#include "client/connection/request_id.h"
#include "gmock/gmock.h"
#include "google/rpc/error_details.pb.h"
#include "gtest/gtest.h"
#include "tests/client/messages.h"

namespace vrp::client {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const ErrorPlace kPlace = {"solve", "dir/city.vrp", "127.0.0.1:50051"};

TEST(ErrorText, NamesCommandAndFile) {
  EXPECT_EQ(ErrorText(kPlace, absl::InvalidArgumentError("no NODE_COORD_SECTION")),
            "vrpctl: solve: dir/city.vrp: no NODE_COORD_SECTION\n");
}

TEST(ErrorText, ShowsTheFileAsTheUserNamedIt) {
  EXPECT_EQ(ErrorText(kPlace,
                      absl::InvalidArgumentError("city.vrp:3: DIMENSION: got x, wanted a number")),
            "vrpctl: solve: dir/city.vrp:3: DIMENSION: got x, wanted a number\n");
}

TEST(ErrorText, PrintsTheRequestId) {
  absl::Status status = absl::InternalError("broken");
  status.SetPayload(kRequestIdUrl, absl::Cord("k3v9"));
  EXPECT_THAT(ErrorText({"solve", "", "h:1"}, status), HasSubstr("broken\n  request id: k3v9\n"));
}

TEST(ErrorText, SuggestsNoOverloadForATooShortBudget) {
  google::rpc::ErrorInfo info;
  info.set_domain("vrp");
  info.set_reason("BUDGET_TOO_SHORT");
  absl::Status status = absl::DeadlineExceededError("budget: 5 ms is less than the 23 ms ...");
  EXPECT_THAT(ErrorText({"solve", "", "h:1"}, status), HasSubstr("overloaded"));
  status.SetPayload("type.googleapis.com/google.rpc.ErrorInfo",
                    absl::Cord(info.SerializeAsString()));
  EXPECT_EQ(ErrorText({"solve", "", "h:1"}, status),
            "vrpctl: solve: budget: 5 ms is less than the 23 ms ...\n");
}

TEST(ErrorText, NamesAResourceOnce) {
  EXPECT_EQ(ErrorText({"jobs get", "trainingJobs/a", ""},
                      absl::NotFoundError("trainingJobs/a: no such job")),
            "vrpctl: jobs get: trainingJobs/a: no such job\n");
}

TEST(ErrorText, ListsFieldsMissingFromTheMessage) {
  const absl::Status status = ABadRequest(absl::StatusCode::kUnimplemented, "not supported yet",
                                          "vehicles[0].skills", "skills are not supported");
  EXPECT_THAT(ErrorText(kPlace, status),
              HasSubstr("\n  vehicles[0].skills: skills are not supported\n"));
}

TEST(ErrorText, OmitsViolationsThatRepeatTheMessage) {
  const absl::Status status =
      ABadRequest(absl::StatusCode::kInvalidArgument, "seed: too large", "seed", "seed: too large");
  EXPECT_EQ(ErrorText({"solve", "", ""}, status), "vrpctl: solve: seed: too large\n");
}

TEST(ErrorText, OmitsTruncatedViolationsThatRepeatTheMessage) {
  const absl::Status status =
      ABadRequest(absl::StatusCode::kInvalidArgument, "city.vrp:2: TYPE: got x, wanted one of A, B",
                  "file.content", "city.vrp:2: TYPE: got x, wanted...");
  EXPECT_EQ(ErrorText(kPlace, status),
            "vrpctl: solve: dir/city.vrp:2: TYPE: got x, wanted one of A, B\n");
}

TEST(ErrorText, NamesTheUnreachableDaemonAndTheRemedy) {
  const std::string text = ErrorText(
      kPlace, absl::UnavailableError(
                  "failed to connect to all addresses; last error: UNKNOWN: ipv4:127.0.0.1:50051: "
                  "Failed to connect to remote host: Connection refused"));
  EXPECT_THAT(text,
              StartsWith("vrpctl: solve: cannot reach 127.0.0.1:50051: Connection refused\n"));
  EXPECT_THAT(text, HasSubstr("start the daemon (vrpd --listen 127.0.0.1:50051"));
  EXPECT_THAT(text, HasSubstr("--remote"));
}

TEST(ErrorText, SuggestsNoLocalDaemonForARemoteHost) {
  const absl::Status refused = absl::UnavailableError("Connection refused");
  for (const char* remote : {"host:50051", "10.1.2.3:50051", "[2001:db8::1]:50051"}) {
    const std::string text = ErrorText({"solve", "", remote}, refused);
    EXPECT_THAT(text, Not(HasSubstr("start the daemon"))) << remote;
    EXPECT_THAT(text, HasSubstr("firewall"));
    EXPECT_THAT(text, HasSubstr("--remote HOST:PORT"));
  }
  const std::string text = ErrorText({"solve", "", "unix:/run/vrp"}, refused);
  EXPECT_THAT(text, HasSubstr("start the daemon (vrpd --listen unix:/run/vrp"));
}

TEST(ErrorText, DistinguishesAnUnavailableFromAnUnreachableDaemon) {
  absl::Status stopping = absl::UnavailableError("the daemon is stopping; call again");
  google::rpc::ErrorInfo info;
  info.set_domain("vrp");
  stopping.SetPayload("type.googleapis.com/google.rpc.ErrorInfo",
                      absl::Cord(info.SerializeAsString()));
  google::rpc::RetryInfo retry;
  retry.mutable_retry_delay()->set_seconds(1);
  stopping.SetPayload("type.googleapis.com/google.rpc.RetryInfo",
                      absl::Cord(retry.SerializeAsString()));
  EXPECT_EQ(ErrorText({"solve", "", "127.0.0.1:50051"}, stopping),
            "vrpctl: solve: the daemon is stopping; call again\n  try again in 1s\n");
}

TEST(ErrorText, NamesTheMissingTlsAndTokenFlags) {
  const auto text = [](const absl::Status& status) { return ErrorText(kPlace, status); };
  EXPECT_THAT(
      text(absl::UnavailableError("Ssl handshake failed: SSL_ERROR_SSL: "
                                  "error:0A000086:SSL routines::certificate verify failed")),
      HasSubstr("set --tls-ca to the file"));
  EXPECT_THAT(text(absl::UnavailableError("error:0A00010B:SSL routines::wrong version number")),
              HasSubstr("does not use TLS"));
  EXPECT_THAT(text(absl::UnavailableError("last error: Socket closed")),
              HasSubstr("if the daemon uses TLS"));
  EXPECT_THAT(text(absl::UnauthenticatedError("no token was sent")), HasSubstr("--token-file"));
}

TEST(ErrorText, SuggestsNoRetryOfATooLargeMessage) {
  const std::string text = ErrorText(
      kPlace,
      absl::ResourceExhaustedError("Received message larger than max (2097179 vs. 1048576)"));
  EXPECT_THAT(text, HasSubstr("vrpctl server info"));
  EXPECT_THAT(text, testing::Not(HasSubstr("try again")));
}

TEST(ErrorText, NamesTheDelayBeforeARetry) {
  google::rpc::RetryInfo retry;
  retry.mutable_retry_delay()->set_seconds(3);
  absl::Status status = absl::ResourceExhaustedError("the queue is full");
  status.SetPayload("type.googleapis.com/google.rpc.RetryInfo",
                    absl::Cord(retry.SerializeAsString()));
  EXPECT_THAT(ErrorText(kPlace, status), HasSubstr("try again in 3s"));
}

TEST(ErrorText, IgnoresUnreadableDetails) {
  absl::Status status = absl::InvalidArgumentError("wrong");
  status.SetPayload("type.googleapis.com/google.rpc.BadRequest", absl::Cord("\xFF\xFF\xFF"));
  EXPECT_EQ(ErrorText({"solve", "", ""}, status), "vrpctl: solve: wrong\n");
}

TEST(ErrorText, IndentsFurtherLines) {
  EXPECT_EQ(ErrorText({"train", "", ""}, absl::InvalidArgumentError("a.yaml:1: x\na.yaml:2: y")),
            "vrpctl: train: a.yaml:1: x\n  a.yaml:2: y\n");
}

}  // namespace
}  // namespace vrp::client
