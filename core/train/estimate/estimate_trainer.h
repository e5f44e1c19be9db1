// Trains estimate models.
#pragma once

#include <memory>

#include "core/train/run/trainer.h"

namespace vrp {

// Makes the trainer of configurations with `model: estimate`. It trains on the CPU.
std::unique_ptr<Trainer> MakeEstimateTrainer();

}  // namespace vrp
