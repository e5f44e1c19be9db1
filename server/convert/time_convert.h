// Durations and timestamps.
#pragma once

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "google/protobuf/duration.pb.h"
#include "google/protobuf/timestamp.pb.h"

namespace vrp {

google::protobuf::Duration ToProto(
    absl::Duration duration);  // infinite: the longest that the message can state
google::protobuf::Timestamp ToProto(absl::Time time);

// kInvalidArgument for what protobuf calls no valid Duration: seconds beyond 10,000 years, nanos
// out of range or of the other sign.
absl::StatusOr<absl::Duration> FromProto(const google::protobuf::Duration& duration);

}  // namespace vrp
