// Settings that a configuration states, but no part of its training reads.
#pragma once

#include "core/train/config/config_reader.h"
#include "core/train/config/training_config.h"

namespace vrp {

// Excludes unused settings from `reader.Resolved()`: sections of other methods and networks, and
// single keys. Refuses each such key of a new configuration that is stated with another value than
// its default, because the user expects an effect. Sections of other methods and networks are
// allowed, so that --set and --model can choose between them.
void DropUnusedSettings(ConfigReader& reader, const TrainingConfig& config, ConfigOrigin origin);

}  // namespace vrp
