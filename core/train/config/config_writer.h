// Writes configurations as YAML text.
#pragma once

#include <span>
#include <string>

#include "core/train/config/config_reader.h"

namespace vrp {

// Returns `settings` as YAML of two levels that ConfigReader reads back to the same values.
std::string WriteConfig(std::span<const ConfigSetting> settings);

}  // namespace vrp
