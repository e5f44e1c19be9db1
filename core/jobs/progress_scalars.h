// What of a training's progress is worth a curve.
#pragma once

#include <vector>

#include "core/jobs/tensorboard_writer.h"
#include "core/train/trainer.h"

namespace vrp {

// Tags are "loss", "cost/train", "cost/validation", "validation/gap", "accuracy/train",
// "accuracy/validation", "optimiser/learning_rate", "optimiser/gradient_norm",
// "speed/instances_per_second", "pass_difference", "device/utilization" and
// "device/memory_used_gib" of a GPU, and "phase_ms/{phase}" for the milliseconds a step since
// `before` (a report of the same run; default: its beginning). What was not measured is NaN or
// absent.
std::vector<TensorBoardScalar> ProgressScalars(const TrainingProgress& progress,
                                               const TrainingTotals& before = {});

}  // namespace vrp
