// The section `training` of a configuration.
#pragma once

#include "core/train/config/config_reader.h"
#include "core/train/config/training_config.h"

namespace vrp {

void ReadTrainingSection(ConfigReader& reader, TrainingConfig& config);

}  // namespace vrp
