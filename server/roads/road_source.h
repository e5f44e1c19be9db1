// The interface that gives requests the matrices and streets of road networks.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/base/stop.h"
#include "server/roads/road_matrices.h"

namespace vrp {

// A source of matrices and streets. Thread-safe. Methods block, but end early if `stop` fires.
//
// Errors other than kCancelled begin with the network: `road_network car (osrm at
// http://127.0.0.1:5000): ...`. kUnavailable: the service does not answer. kFailedPrecondition: it
// refuses the requests, or is not a service of this kind. kCancelled, kDeadlineExceeded: by `stop`.
// An unknown network is kInvalidArgument without that beginning: `got "bike", wanted a road network
// of this daemon: car, truck`.
class RoadSource {
 public:
  virtual ~RoadSource() = default;

  // Returns the matrices between `places`, which must be distinct, in their order.
  virtual absl::StatusOr<std::shared_ptr<const RoadMatrices>> Matrices(
      std::string_view network, const std::vector<RoadPlace>& places,
      const StopCondition& stop) = 0;

  // Returns the streets of each route, one line for each leg between consecutive places.
  virtual absl::StatusOr<std::vector<std::vector<RoadLine>>> Lines(
      std::string_view network, const std::vector<std::vector<RoadPlace>>& routes,
      const StopCondition& stop) = 0;
};

}  // namespace vrp
