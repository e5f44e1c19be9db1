// Reads the section `habits` of a configuration.
#pragma once

#include "core/train/config/config_reader.h"
#include "core/train/config/training_config.h"

namespace vrp {

// Sets the defaults of `model: habits`, which depend on the stated learner.
void SetHabitsDefaults(const ConfigReader& reader, TrainingConfig& config);
// Reads the keys of the section.
void ReadHabitsSection(ConfigReader& reader, HabitsConfig& habits);
// Checks settings against each other. config.habits must be set.
void CheckHabitsTogether(ConfigReader& reader, const TrainingConfig& config);

}  // namespace vrp
