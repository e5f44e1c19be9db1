// The weights from which a training run starts instead of random ones.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "core/model/policy/policy_engine.h"
#include "core/train/config/training_config.h"

namespace vrp {

// Loads training.initial_model into `engine`: `models/NAME/versions/N`, a model's folder, or a
// weights file. Looks for a version in `models_directories`, then in the folder `models` of the
// working directory. Returns kNotFound if there is no such model. Returns kInvalidArgument naming
// the difference between the model and the configuration.
absl::Status LoadInitialModel(const TrainingConfig& config,
                              const std::vector<std::string>& models_directories,
                              PolicyEngine& engine);

// Returns the error that LoadInitialModel would return, without needing an engine.
absl::Status CheckInitialModel(const TrainingConfig& config,
                               const std::vector<std::string>& models_directories);

}  // namespace vrp
