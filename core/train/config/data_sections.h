// The sections `loader` and `validation` of a configuration.
#pragma once

#include "core/train/config/config_reader.h"
#include "core/train/config/training_config.h"

namespace vrp {

void ReadLoaderSection(ConfigReader& reader, LoaderConfig& loader);
void ReadValidationSection(ConfigReader& reader, ValidationConfig& validation);

}  // namespace vrp
