// Checks of settings against each other.
#pragma once

#include "core/train/config/config_reader.h"
#include "core/train/config/training_config.h"

namespace vrp {

// Refuses settings that are valid alone, but not together.
void CheckTogether(ConfigReader& reader, const TrainingConfig& config);

}  // namespace vrp
