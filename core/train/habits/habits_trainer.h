// The trainer of habit models.
#pragma once

#include <memory>

#include "core/train/run/trainer.h"

namespace vrp {

// Makes a trainer of configurations with `model: habits`. It computes on the CPU, on the request's
// threads, whatever its device. The learner that counts writes no checkpoints: an interrupted run
// begins again, and has the same result.
std::unique_ptr<Trainer> MakeHabitsTrainer();

}  // namespace vrp
