// Writes a training configuration that another YAML file contains.
#pragma once

#include <string>

#include "core/train/config/yaml_tree.h"

namespace vrp {

// Returns a mapping as YAML text of its own. Values keep their line numbers, so that errors of the
// configuration name lines of the file around it.
std::string WriteInlineConfig(const YamlNode& config);

}  // namespace vrp
