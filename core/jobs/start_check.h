// Finds, before a training job is queued, what would make it fail at its start.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "core/device/device.h"
#include "core/jobs/job.h"
#include "core/jobs/job_run.h"
#include "core/registry/registry.h"
#include "core/train/config/training_config.h"

namespace vrp {

// Returns the device on which the job would run now. kInvalidArgument, a line each: `device: ...`
// for one that is not there; `KEY: ...` for a file that cannot be read, a dataset that is not kept
// here or lacks what the configuration needs of it, or a model to start from that is not there or
// has other sizes. The same errors as the start would have. kResourceExhausted: the check itself
// found no memory. Blocks on the disk.
absl::StatusOr<DeviceId> CheckStart(const JobSpec& spec, const TrainingConfig& config,
                                    const JobRunContext& context);

// Returns training.initial_model with the version that an alias stands for now. Errors name the
// key.
absl::StatusOr<std::string> InitialModelVersion(const std::string& initial_model,
                                                const Registry& registry);

}  // namespace vrp
