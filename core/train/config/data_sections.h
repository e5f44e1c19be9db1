// The sections `loader` and `validation` of a configuration.
#pragma once

#include "core/train/config/config_reader.h"
#include "core/train/config/training_config.h"

namespace vrp {

// Reads the section `loader`, and whether it states `pin`.
void ReadLoaderSection(ConfigReader& reader, LoaderConfig& loader);
// Reads the section `validation`. Refuses `reference: file` without a file.
void ReadValidationSection(ConfigReader& reader, ValidationConfig& validation);

}  // namespace vrp
