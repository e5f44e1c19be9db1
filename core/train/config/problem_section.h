// The section `problem` of a configuration.
#pragma once

#include "core/train/config/config_reader.h"
#include "core/train/config/training_config.h"
#include "nlohmann/json.hpp"

namespace vrp {

// Reads the section, except problem.features.
void ReadProblemSection(ConfigReader& reader, ProblemConfig& problem);

// Reads problem.features, the network's inputs in their order. The word `builtin` adds all of the
// default inputs. Stores the inputs in `sizes` unless they are the defaults.
void ReadFeatures(ConfigReader& reader, const Architecture& architecture,
                  nlohmann::ordered_json& sizes);

}  // namespace vrp
