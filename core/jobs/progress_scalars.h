// The values of a training job's progress that are plotted.
#pragma once

#include <vector>

#include "core/jobs/tensorboard_writer.h"
#include "core/train/run/trainer.h"

namespace vrp {

// Returns the values under these tags: "loss", "cost/train", "cost/validation", "accuracy/train",
// "accuracy/validation", "optimiser/learning_rate", "optimiser/gradient_norm",
// "speed/instances_per_second", "speed/seconds_per_step", "speed/seconds_per_epoch" and
// "pass_difference". The tag "validation/gap_vs_{reference}" names its reference, as in
// "validation/gap_vs_search_200_iterations". Without a reference the tag is "validation/gap". Runs
// on a GPU have "device/utilization" and "device/memory_used_gib". The tag "phase_ms/{phase}" has
// the thread time per step in milliseconds since `before`, an earlier report of the same run. By
// default, `before` is the run's beginning. Values that were not measured are NaN or absent.
std::vector<TensorBoardScalar> ProgressScalars(const TrainingProgress& progress,
                                               const TrainingTotals& before = {});

}  // namespace vrp
