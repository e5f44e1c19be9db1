// Checks the files and the model that a training job names, before the job is queued.
#pragma once

#include "absl/status/status.h"
#include "core/train/run/trainer.h"

namespace vrp {

// Implements Trainer::CheckInputs. Blocks on the disk.
absl::Status CheckTrainingInputs(const TrainingRequest& request);

}  // namespace vrp
