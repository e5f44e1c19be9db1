// Adds the matrices of road networks to input in VROOM's format.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/base/stop.h"
#include "core/problem/instance/instance.h"
#include "server/roads/road_source.h"
#include "vrp/v1/instance.pb.h"

namespace vrp {

// A file with matrices, and the networks of its vehicle types.
struct VroomWithRoads {
  v1::InstanceFile file;
  std::vector<std::string> networks;  // by vehicle type of the instance
};

// Whether the file is in VROOM's format.
bool IsVroom(const v1::InstanceFile& file);

// Adds matrices of seconds and metres to a valid file of VROOM's format, as VROOM gets them from
// its routing services. A vehicle's `profile` names its network. Vehicles without a profile have
// the network `all`. Errors are those of AddRoads, with names such as `jobs[3].location`.
absl::StatusOr<VroomWithRoads> AddRoadsToVroom(const v1::InstanceFile& file, const std::string& all,
                                               RoadSource& source, const StopCondition& stop);

}  // namespace vrp
