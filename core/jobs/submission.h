// Validates submitted jobs. Uses neither the store nor the registry.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/jobs/job.h"
#include "core/train/config/training_config.h"

namespace vrp {

// Returns the parsed configuration, or all errors of the specification, one per line. Checks the
// sizes, the limits, the labels and the configuration with its `name`, but parses the configuration
// only if the sizes fit. Names a wrong device only beside other errors, since CheckStart checks the
// device of a valid specification.
absl::StatusOr<TrainingConfig> ValidateSpec(const JobSpec& spec);

// Returns the configuration of a job that was accepted earlier, perhaps by an older version.
absl::StatusOr<TrainingConfig> ParseStoredConfig(const JobSpec& spec);

// Checks the sizes of the specification's texts, and that all texts but config_yaml are printable.
// Names every wrong field, one per line: `overrides[3]: has 5000 bytes, wanted at most 4096`.
absl::Status CheckSizes(const JobSpec& spec);
// Checks the priority and the limits. Names every wrong field, one per line.
absl::Status CheckLimits(const JobSpec& spec);
// Checks the labels of a job or of a list's filter. Names every wrong label, one per line.
absl::Status CheckLabels(const std::map<std::string, std::string>& labels);

// Checks the id that makes a submission idempotent. The id may be empty. Errors read `request_id:
// got ...`.
absl::Status CheckRequestId(std::string_view request_id);

// Returns an opaque page token, which stands for the jobs that were submitted before `job_number`.
std::string WritePageToken(int64_t job_number);
// Parses a page token. Returns the largest number for the empty token (the first page). Returns
// kInvalidArgument if WritePageToken did not write the token.
absl::StatusOr<int64_t> ParsePageToken(std::string_view token);

}  // namespace vrp
