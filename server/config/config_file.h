// Reads the configuration file of vrpd: a YAML map with the keys of OptionTable() and
// schema_version. configs/vrpd.yaml is an example.
#pragma once

#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "server/config/road_network_options.h"
#include "server/config/vrpd_options.h"

namespace vrp {

// Parses a file called `name`. Returns kInvalidArgument with one line per error: an unknown or
// repeated key, a wrong type or a value out of range. Also returns kInvalidArgument for a newer
// schema_version, text that is not YAML, and more than 1 MiB. Example: `vrpd.yaml:12: threads: got
// "many", wanted an integer from 1 to 64`.
absl::StatusOr<PartialOptions> ParseConfigFile(std::string_view yaml, std::string_view name);

// Parses the value of road_networks alone, as a flag states it. Returns kInvalidArgument with one
// line per error: `road_networks.car.kind: absent, wanted osrm or valhalla`.
absl::StatusOr<std::vector<RoadNetworkOptions>> ParseRoadNetworks(std::string_view yaml);

}  // namespace vrp
