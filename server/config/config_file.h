// Reads the configuration file of vrpd: a YAML map with the keys of OptionTable().
// configs/vrpd.yaml is an example.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "server/config/vrpd_options.h"

namespace vrp {

// Parses a file called `name`. Returns kInvalidArgument with one line per error: an unknown or
// repeated key, a wrong type or a value out of range. Example:
// `vrpd.yaml:12: threads: got "many", wanted an integer from 1 to 64`.
absl::StatusOr<PartialOptions> ParseConfigFile(std::string_view yaml, std::string_view name);

}  // namespace vrp
