// Converts durations and timestamps.
#pragma once

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "google/protobuf/duration.pb.h"
#include "google/protobuf/timestamp.pb.h"

namespace vrp {

// Converts a duration. An infinite one becomes the longest possible Duration.
google::protobuf::Duration ToProto(absl::Duration duration);
// Converts a time, which is clamped to the years 1 to 9999.
google::protobuf::Timestamp ToProto(absl::Time time);

// Returns kInvalidArgument for an invalid Duration: seconds beyond 10,000 years, nanos out of range
// or of the opposite sign.
absl::StatusOr<absl::Duration> FromProto(const google::protobuf::Duration& duration);
// Returns a time budget. Returns kInvalidArgument outside of `min` to `max`.
absl::StatusOr<absl::Duration> BudgetFromProto(const google::protobuf::Duration& duration,
                                               absl::Duration min, absl::Duration max);

}  // namespace vrp
