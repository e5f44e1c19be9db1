// Settings that a configuration states and nothing would read.
#pragma once

#include "core/train/config_reader.h"
#include "core/train/training_config.h"

namespace vrp {

// Refuses each by its name: who states it means it. A section that belongs to another method or
// network than the chosen ones may stay, so that --set and --model can choose between them, and so
// may a setting that states its default.
void RefuseUnheard(ConfigReader& reader, const TrainingConfig& config);

}  // namespace vrp
