// The values of a training's progress that are plotted.
#pragma once

#include <vector>

#include "core/jobs/tensorboard_writer.h"
#include "core/train/run/trainer.h"

namespace vrp {

// Returns scalars with the tags "loss", "cost/train", "cost/validation",
// "validation/gap_vs_{reference}" (as in "validation/gap_vs_search_200_iterations"),
// "accuracy/train", "accuracy/validation", "optimiser/learning_rate", "optimiser/gradient_norm",
// "speed/instances_per_second", "speed/seconds_per_step", "speed/seconds_per_epoch",
// "pass_difference", "device/utilization" and "device/memory_used_gib" of a GPU, and
// "phase_ms/{phase}" for the milliseconds of thread time a step since `before` (an earlier report
// of the same run; default: its beginning). Values that were not measured are NaN or absent.
std::vector<TensorBoardScalar> ProgressScalars(const TrainingProgress& progress,
                                               const TrainingTotals& before = {});

}  // namespace vrp
