// Converts the core's absl::Status to gRPC's status with details.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "google/rpc/status.pb.h"
#include "grpcpp/support/status.h"

namespace vrp {

// The domain of google.rpc.ErrorInfo in all errors.
inline constexpr char kErrorDomain[] = "vrp";

// Returns `status` with a request to retry after `delay`.
absl::Status WithRetry(absl::Status status, absl::Duration delay);

// Returns `status` with a reason such as "QUEUE_FULL" for google.rpc.ErrorInfo. Use few reasons:
// each becomes a time series of the metrics.
absl::Status WithReason(absl::Status status, std::string_view reason);
// Returns the error of calls that arrive while the daemon shuts down.
absl::Status StoppingError();
// Returns the error for bytes that are not a readable message `type` ("vrp.v1.SolveRequest").
absl::Status UnreadableError(std::string_view type);

// Returns the gRPC status with the same code.
//
// The details have a google.rpc.ErrorInfo with the domain "vrp" and the reason of WithReason, else
// the name of the code. They also have the BadRequest or RetryInfo in the payload of the status
// (see field_violation.h). kResourceExhausted and kUnavailable without a RetryInfo get one of one
// second. The function truncates texts to keep the trailers within gRPC's 8 KiB.
grpc::Status ToGrpcStatus(const absl::Status& status);
// Returns code, message and details of ToGrpcStatus as a message, for an error inside a response of
// a stream.
google::rpc::Status ToDetailedStatus(const absl::Status& status);
// Returns the reason in the ErrorInfo of a status of ToGrpcStatus in lower case ("queue_full").
// Without a reason, returns the name of the code.
std::string ReasonOf(const grpc::Status& status);

// Returns code and message (at most 64 KiB) without details, for errors that are stored data
// (TrainingJob.error).
google::rpc::Status ToRpcStatus(const absl::Status& status);

}  // namespace vrp
