// Reads the option road_networks. Only .cc files of this folder include this header, because it
// needs yaml-cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "server/config/road_network_options.h"
#include "yaml-cpp/yaml.h"

namespace vrp {

// A function that reports a problem at a place of the file, for a key such as
// `road_networks.car.url`.
using AddYamlError =
    absl::FunctionRef<void(const YAML::Mark&, std::string_view key, const std::string& problem)>;

// Reads a mapping of names to mappings of settings: `car: {kind: osrm, url:
// "http://127.0.0.1:5000"}`. Returns the networks sorted by name. Reports the networks with errors
// and leaves them out.
std::vector<RoadNetworkOptions> ReadRoadNetworks(const YAML::Node& node, AddYamlError add_error);

// Describes a node for errors: its text in quotes, "a list", "a mapping" or "nothing".
std::string DescribeYaml(const YAML::Node& node);

}  // namespace vrp
