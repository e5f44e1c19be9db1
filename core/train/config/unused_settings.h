// Settings that a configuration states and nothing would read.
#pragma once

#include "core/train/config/config_reader.h"
#include "core/train/config/training_config.h"

namespace vrp {

// Leaves out of `reader.Resolved()` what nothing reads as things are: sections of other methods and
// networks, and single keys. Of a new configuration refuses, by its name, each such key that is
// stated with another value than its default: who states it means it. A section that belongs to
// another method or network may stay, so that --set and --model can choose between them.
void SetAsideUnused(ConfigReader& reader, const TrainingConfig& config, ConfigOrigin origin);

}  // namespace vrp
