// Builds the message of GetServerStats from the metrics.
#pragma once

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/telemetry/telemetry.h"
#include "vrp/v1/system_service.pb.h"

namespace vrp {

// Returns the current metrics. Blocks on the disk. Returns kUnavailable if the jobs cannot be read.
absl::StatusOr<v1::ServerStats> DescribeStats(const Telemetry& telemetry, absl::Time now);

}  // namespace vrp
