// The part of a model's card that says how it was trained.
#pragma once

#include <string>

#include "core/model/weights/model_card.h"
#include "core/train/config/training_config.h"
#include "core/train/run/training_result.h"

namespace vrp {

// Returns a card with the job, the configuration, the figures of `result` and the current time. The
// caller adds what is the model's own.
ModelCard CardOf(const TrainingConfig& config, const std::string& job_name,
                 const TrainingResult& result);

}  // namespace vrp
