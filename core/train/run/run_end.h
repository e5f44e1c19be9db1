// The reasons why a training run ends.
#pragma once

#include <string>

#include "absl/time/time.h"
#include "core/train/run/best_weights.h"
#include "core/train/run/checkpoint_keeper.h"
#include "core/train/run/run_context.h"
#include "core/train/run/training_result.h"

namespace vrp {

// Whether the user asked the run to end early, with a model.
bool EndsEarly(const RunContext& context);

// Returns the reason why there is no further step, or kUnknown if there is one. `stalled`: whether
// training.patience epochs passed without a better validation.
TrainingEnd EndReason(const RunContext& context, const RunPosition& position, bool stalled,
                      absl::Time started);

// Logs why the run ended. Logs nothing after all epochs.
void LogEnd(RunContext& context, const RunPosition& position, const BestWeights& best,
            TrainingEnd end);

}  // namespace vrp
