// The section `training` of a configuration.
#pragma once

#include "core/train/config/config_reader.h"
#include "core/train/config/training_config.h"

namespace vrp {

// Reads the section. Refuses a step schedule without milestones and more parts than instances of a
// step.
void ReadTrainingSection(ConfigReader& reader, TrainingConfig& config);

}  // namespace vrp
