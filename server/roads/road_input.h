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
  // Names of the networks by vehicle type; one entry if there are no vehicles. An empty name means
  // none. No entries: the instance names no road network.
  std::vector<std::string> networks = {};
  // The content of a file in VROOM's format, with the added matrices. Empty for other input.
  std::string vroom_file = {};

  bool any() const { return !networks.empty(); }
};

// An instance with the matrices of its road networks.
struct RoadInput {
  Instance instance;
  RoadUse roads = {};
};

// The sources of the matrices and road networks that an instance may name. They outlive the call.
struct RoadSources {
  const MatrixSource* matrices = nullptr;  // null: names of matrices are refused
  RoadSource* roads = nullptr;             // null: road networks are refused
  StopCondition stop = {};                 // ends the requests to services
};

// Whether an instance may name road networks, so that reading it may take seconds.
bool MayNameRoads(const v1::Instance& message);

// Reads an instance like InstanceFromProto. Replaces its road networks by matrices after all else
// is valid. Also returns the errors of AddRoads.
absl::StatusOr<RoadInput> InputWithRoads(const v1::Instance& message, const RoadSources& sources);
absl::StatusOr<RoadInput> InputWithRoads(const v1::InstanceFile& file, const RoadSources& sources);

}  // namespace vrp
