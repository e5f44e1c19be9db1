// vrpd's configuration file: strict YAML, one map; see configs/vrpd.yaml.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "server/config/vrpd_options.h"

namespace vrp {

// kInvalidArgument with a line for every unknown or repeated key, wrong type or value out of range:
// `vrpd.yaml:12: threads: got "many", wanted an integer from 1 to 64`.
absl::StatusOr<PartialOptions> ParseConfigFile(std::string_view yaml, std::string_view name);

}  // namespace vrp
