// The check, before a training is queued, of the files and the model that it names.
#pragma once

#include "absl/status/status.h"
#include "core/train/run/trainer.h"

namespace vrp {

// Implements Trainer::CheckInputs. Blocks on the disk.
absl::Status CheckTrainingInputs(const TrainingRequest& request);

}  // namespace vrp
