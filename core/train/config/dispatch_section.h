// The settings of dispatch models in a configuration.
#pragma once

#include "core/train/config/config_reader.h"
#include "core/train/config/training_config.h"

namespace vrp {

// Sets the defaults of the settings that dispatch models share with others, such as
// training.learning_rate. Must be called before these are read.
void SetDispatchDefaults(TrainingConfig& config);

// Reads the section `dispatch`, and the keys of `validation` that only dispatch models have.
void ReadDispatchSection(ConfigReader& reader, DispatchConfig& dispatch);

// Refuses settings of a dispatch model that are valid alone, but not together.
void CheckDispatchTogether(ConfigReader& reader, const TrainingConfig& config);

}  // namespace vrp
