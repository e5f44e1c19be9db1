// The learning rate of each step.
#pragma once

#include <cstdint>

#include "core/train/config/training_config.h"

namespace vrp {

// Returns the learning rate of step `step` (from 0). During the warm-up it grows linearly to the
// schedule's value. Linear and cosine schedules (Loshchilov and Hutter 2017, without restarts) fall
// from the warm-up's end to training.final_learning_rate at the last step.
double LearningRateAt(const TrainingConfig& config, int64_t step);

}  // namespace vrp
