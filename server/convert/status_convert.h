// The one mapping from the core's absl::Status to what goes over the wire.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "google/rpc/status.pb.h"
#include "grpcpp/support/status.h"

namespace vrp {

inline constexpr char kErrorDomain[] = "vrp";

// A status that asks the caller to try again after `delay`.
absl::Status WithRetry(absl::Status status, absl::Duration delay);

// A status whose google.rpc.ErrorInfo says why in one word, as "QUEUE_FULL", where the code is too
// wide. Each word becomes a time series of the metrics: take few.
absl::Status WithReason(absl::Status status, std::string_view reason);
// What calls get while the daemon stops.
absl::Status StoppingError();
// Bytes that are no message of `type` ("vrp.v1.SolveRequest"), or none at all.
absl::Status UnreadableError(std::string_view type);

// Same code. Details: google.rpc.ErrorInfo (domain "vrp"; reason: of WithReason, else the code's
// name), the BadRequest or RetryInfo that the status carries as payload (see field_violation.h),
// and a RetryInfo of one second for kResourceExhausted and kUnavailable that name none. Texts are
// cut so that everything fits into the 8 KiB that gRPC grants to trailers.
grpc::Status ToGrpcStatus(const absl::Status& status);
// Code, text and details of ToGrpcStatus, for an error that is one of many answers.
google::rpc::Status ToDetailedStatus(const absl::Status& status);
// The reason in the ErrorInfo of a status of ToGrpcStatus, in small letters, as "queue_full"; of
// any other status its code's name, likewise.
std::string ReasonOf(const grpc::Status& status);

// Code and full message without details, for errors that are data (TrainingJob.error).
google::rpc::Status ToRpcStatus(const absl::Status& status);

}  // namespace vrp
