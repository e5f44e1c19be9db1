// The sections of the training methods in a configuration.
#pragma once

#include "core/train/config/config_reader.h"
#include "core/train/config/training_config.h"

namespace vrp {

// Reads the sections `supervised`, `reinforce` and `self_labelling`.
void ReadMethodSections(ConfigReader& reader, TrainingConfig& config);

}  // namespace vrp
