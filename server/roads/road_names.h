// Finds the road networks that an instance names.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "vrp/v1/instance.pb.h"

namespace vrp {

// The road networks that an instance names.
struct RoadNames {
  std::string all = {};  // for the vehicle types that name none themselves; empty: none
  std::vector<std::string> vehicles = {};  // by vehicle type; empty, or missing at the end: `all`

  // Whether any network is named.
  bool any() const;
  // Returns the network of a vehicle type, or an empty text.
  const std::string& Of(size_t type) const {
    return type < vehicles.size() && !vehicles[type].empty() ? vehicles[type] : all;
  }
  bool operator==(const RoadNames&) const = default;
};

RoadNames RoadNamesOf(const v1::Instance& message);
// Returns the message without the names.
v1::Instance WithoutRoadNames(v1::Instance message);

// A file without the keys `road_network` of this project's JSON, and the networks that they named.
struct RoadFile {
  v1::InstanceFile file;
  RoadNames names;
};

// Whether a file may name road networks. Does not parse the file.
bool MayNameRoads(const v1::InstanceFile& file);

// Removes the names from a file in this project's JSON. InstanceFile.road_network, if given,
// replaces the name for all vehicles and drops the reference cost. Returns any other file without
// InstanceFile.road_network, which becomes the name for all vehicles. Returns kInvalidArgument for
// a name that is empty or not text.
absl::StatusOr<RoadFile> TakeRoadNames(const v1::InstanceFile& file);

}  // namespace vrp
