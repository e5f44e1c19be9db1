// Whether a training can read what it names, found out before it is queued.
#pragma once

#include "absl/status/status.h"
#include "core/train/trainer.h"

namespace vrp {

// See Trainer::CheckInputs. Blocks on the disk.
absl::Status CheckTrainingInputs(const TrainingRequest& request);

}  // namespace vrp
