// The section `problem` of a configuration.
#pragma once

#include "core/train/config/config_reader.h"
#include "core/train/config/training_config.h"
#include "nlohmann/json.hpp"

namespace vrp {

// Reads the section except for problem.features.
void ReadProblemSection(ConfigReader& reader, ProblemConfig& problem);

// Reads problem.features, the network's inputs in their order, in which `builtin` stands for all of
// the usual ones, and stores them in `sizes` unless they are the usual ones.
void ReadFeatures(ConfigReader& reader, const Architecture& architecture,
                  nlohmann::ordered_json& sizes);

}  // namespace vrp
