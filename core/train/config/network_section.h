// The section of a configuration that gives a network's sizes.
#pragma once

#include "core/model/policy/architecture.h"
#include "core/train/config/config_reader.h"
#include "nlohmann/json.hpp"

namespace vrp {

// Reads the section of `architecture`, key by key. Returns the sizes in the form of
// NetworkSizes::json. A refused value is replaced by its default, or by 1 if it must divide another
// size and does not.
nlohmann::ordered_json ReadNetworkSection(ConfigReader& reader, const Architecture& architecture);

}  // namespace vrp
