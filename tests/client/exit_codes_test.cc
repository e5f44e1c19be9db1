#include "client/support/exit_codes.h"

#include "gtest/gtest.h"

namespace vrp::client {
namespace {

struct Case {
  absl::StatusCode code;
  int exit_code;
};

class ExitCodes : public testing::TestWithParam<Case> {};

TEST_P(ExitCodes, FollowTheStatusCode) {
  EXPECT_EQ(ExitCodeFor(GetParam().code), GetParam().exit_code)
      << absl::StatusCodeToString(GetParam().code);
}

INSTANTIATE_TEST_SUITE_P(
    EveryGrpcCode, ExitCodes,
    testing::Values(
        Case{absl::StatusCode::kOk, 0}, Case{absl::StatusCode::kCancelled, 1},
        Case{absl::StatusCode::kUnknown, 1}, Case{absl::StatusCode::kInvalidArgument, 2},
        Case{absl::StatusCode::kDeadlineExceeded, 1}, Case{absl::StatusCode::kNotFound, 5},
        Case{absl::StatusCode::kAlreadyExists, 4}, Case{absl::StatusCode::kPermissionDenied, 4},
        Case{absl::StatusCode::kResourceExhausted, 6},
        Case{absl::StatusCode::kFailedPrecondition, 4}, Case{absl::StatusCode::kAborted, 1},
        Case{absl::StatusCode::kOutOfRange, 2}, Case{absl::StatusCode::kUnimplemented, 2},
        Case{absl::StatusCode::kInternal, 1}, Case{absl::StatusCode::kUnavailable, 3},
        Case{absl::StatusCode::kDataLoss, 1}, Case{absl::StatusCode::kUnauthenticated, 4}));

}  // namespace
}  // namespace vrp::client
