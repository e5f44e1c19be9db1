// Which road networks an instance names.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "vrp/v1/instance.pb.h"

namespace vrp {

struct RoadNames {
  std::string all = {};                    // of the vehicle types that name none; empty: none
  std::vector<std::string> vehicles = {};  // by vehicle type; empty, or missing at the end: none

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

// Whether a file may name road networks. Reads no JSON, so that other files cost nothing.
bool MayNameRoads(const v1::InstanceFile& file);

// Takes the names out of a file in this project's JSON. InstanceFile.road_network replaces the
// name for all vehicles, and then the reference cost is dropped too. Returns any other file as it
// is, with InstanceFile.road_network as name. Returns kInvalidArgument for a name that is not text.
absl::StatusOr<RoadFile> TakeRoadNames(const v1::InstanceFile& file);

}  // namespace vrp
