// Reads instances that name road networks.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/base/stop.h"
#include "core/problem/instance/instance.h"
#include "core/problem/instance/matrix_source.h"
#include "server/roads/road_source.h"
#include "vrp/v1/instance.pb.h"

namespace vrp {

// The road networks of an instance.
struct RoadUse {
  // By vehicle type; one entry if there are no vehicles. Empty texts: none. No entries: the
  // instance names no road network.
  std::vector<std::string> networks = {};
  // The content of a file in VROOM's format, with the matrices that it was read with.
  std::string vroom_file = {};

  bool any() const { return !networks.empty(); }
};

struct RoadInput {
  Instance instance;
  RoadUse roads = {};
};

// What an instance may refer to. The sources outlive the call.
struct RoadSources {
  const MatrixSource* matrices = nullptr;  // null: names of matrices are refused
  RoadSource* roads = nullptr;             // null: road networks are refused
  StopCondition stop = {};                 // ends the requests to services
};

// Whether an instance may name road networks, so that reading it may take seconds.
bool MayNameRoads(const v1::Instance& message);
bool MayNameRoads(const v1::InstanceFile& file);

// Reads an instance like InstanceFromProto. Replaces its road networks by matrices after all else
// is valid. Also returns the errors of AddRoads.
absl::StatusOr<RoadInput> InputWithRoads(const v1::Instance& message, const RoadSources& sources);
absl::StatusOr<RoadInput> InputWithRoads(const v1::InstanceFile& file, const RoadSources& sources);

}  // namespace vrp
