// Prepares a training of a dispatch model.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "core/train/dispatch/dispatch_learner.h"
#include "core/train/dispatch/training_data.h"
#include "core/train/run/run_context.h"

namespace vrp {

// Plans the days of `data` in hindsight, or reads such plans from the cache, makes samples of their
// decisions, and returns the model to train on these. training.batches_per_epoch must be the number
// of steps that pass over CountSamples(data.days). `context` must outlive the learner. Returns
// kCancelled if the run is stopped, and the errors of MakeHindsightLabels and MakePrizeSamples.
absl::StatusOr<std::unique_ptr<DispatchLearner>> PrepareDispatch(RunContext& context,
                                                                 TrainingData data);

}  // namespace vrp
