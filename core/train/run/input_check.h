// Checks, before a training is queued, that it can read the files and the model that it names.
#pragma once

#include "absl/status/status.h"
#include "core/train/run/trainer.h"

namespace vrp {

// See Trainer::CheckInputs. Blocks on the disk.
absl::Status CheckTrainingInputs(const TrainingRequest& request);

}  // namespace vrp
