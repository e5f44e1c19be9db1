// The one mapping from the core's absl::Status to what goes over the wire.
#pragma once

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "google/rpc/status.pb.h"
#include "grpcpp/support/status.h"

namespace vrp {

inline constexpr char kErrorDomain[] = "vrp";

// A status that asks the caller to try again after `delay`.
absl::Status WithRetry(absl::Status status, absl::Duration delay);

// Same code. Details: google.rpc.ErrorInfo (domain "vrp", the code's name as reason), the
// BadRequest or RetryInfo that the status carries as payload (see field_violation.h), and a
// RetryInfo of one second for kResourceExhausted and kUnavailable that name none. Texts are cut so
// that everything fits into the 8 KiB that gRPC grants to trailers.
grpc::Status ToGrpcStatus(const absl::Status& status);

// Code and full message without details, for errors that are data (TrainingJob.error).
google::rpc::Status ToRpcStatus(const absl::Status& status);

}  // namespace vrp
