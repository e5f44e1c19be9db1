// Settings that a configuration states although no part of its training reads them.
#pragma once

#include "core/train/config/config_reader.h"
#include "core/train/config/training_config.h"

namespace vrp {

// Excludes unused settings from `reader.Resolved()`: sections of other methods and networks, and
// single keys. Refuses each single key of a new configuration that is stated with another value
// than its default, because the user expects an effect. Also refuses a stated dropout above 0 that
// is the default, if the method is not supervised. Allows sections of other methods and networks,
// so that --set and --model can choose between them.
void DropUnusedSettings(ConfigReader& reader, const TrainingConfig& config, ConfigOrigin origin);

}  // namespace vrp
