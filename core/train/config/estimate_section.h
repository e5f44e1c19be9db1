// Reads the section `estimate` of a configuration.
#pragma once

#include "core/train/config/config_reader.h"
#include "core/train/config/training_config.h"

namespace vrp {

// Sets the defaults of `model: estimate`.
void SetEstimateDefaults(TrainingConfig& config);
// Reads the keys of the section.
void ReadEstimateSection(ConfigReader& reader, EstimateConfig& estimate);
// Checks settings against each other. config.estimate must be set.
void CheckEstimateTogether(ConfigReader& reader, const TrainingConfig& config);

}  // namespace vrp
