// Finds errors with which a training job would fail at its start, before it is queued.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "core/device/device.h"
#include "core/jobs/job.h"
#include "core/jobs/job_run.h"
#include "core/registry/registry.h"
#include "core/train/config/training_config.h"

namespace vrp {

// Returns the device on which the job would run now. Returns kInvalidArgument with the errors that
// the start would have, one per line. `device: ...` means a malformed or missing device, `threads:
// ...` more threads than there are. `KEY: ...` means an unreadable file, a dataset that is missing
// or lacks content, or an initial model that is missing or has other sizes. Returns
// kResourceExhausted if the check itself runs out of memory. Blocks on the disk.
absl::StatusOr<DeviceId> CheckStart(const JobSpec& spec, const TrainingConfig& config,
                                    const JobRunContext& context);

// Returns `initial_model` unchanged, or the version that it names if it is an alias. Errors name
// training.initial_model.
absl::StatusOr<std::string> InitialModelVersion(const std::string& initial_model,
                                                const Registry& registry);

}  // namespace vrp
