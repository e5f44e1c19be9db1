// A training of a habit model that is a transformer.
#pragma once

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/habits/history.h"
#include "core/train/run/trainer.h"

namespace vrp {

// Trains the transformer on `history`, for a run that began at `started`, and writes the model.
// Validates on the routes of the last days, beside a model that knows only distances. Reports the
// end to `observer`. Returns the errors of SequenceLearner::Create and StateRun::Run.
absl::StatusOr<TrainingResult> TrainSequences(const TrainingRequest& request,
                                              const StopCondition& stop, TrainingObserver& observer,
                                              const RouteHistory& history, absl::Time started);

}  // namespace vrp
