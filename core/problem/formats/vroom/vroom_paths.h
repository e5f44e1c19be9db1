// Builds paths of fields in VROOM's file, for errors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/problem/formats/vroom/vroom_input.h"

namespace vrp {

// The locations of an instance made from VROOM's input: the depots, then the tasks.
struct VroomNodes {
  std::vector<VroomLocation> locations = {};      // by node
  std::vector<NodeIndex> starts = {}, ends = {};  // by vehicle
  int32_t depots = 0;
};

// Paths of the locations of nodes. Both arguments must outlive the object; the nodes may grow.
// Thread-safe while the nodes do not change.
class VroomPaths {
 public:
  VroomPaths(const VroomInput& input, const VroomNodes& nodes) : input_(input), nodes_(nodes) {}

  // Returns a path such as `jobs[3].location`, `vehicles[0].start` or `vehicles[0].end`.
  std::string LocationPath(size_t node) const;

 private:
  const VroomInput& input_;
  const VroomNodes& nodes_;
};

// Returns a path such as `vehicles[3]`.
std::string VroomVehiclePath(size_t vehicle);
// Returns `jobs[3]`, `shipments[3].pickup` or `shipments[3].delivery`, with the index in the file.
std::string VroomTaskPath(const VroomInput& input, size_t task);
// Returns the path of the fields that both ends of a shipment share: `jobs[3]` or `shipments[3]`.
std::string VroomRequestPath(const VroomInput& input, size_t task);
// Returns `jobs[3].delivery`, or `jobs[3].amount` if the file uses that key.
std::string VroomDeliveryPath(const VroomInput& input, size_t task);

}  // namespace vrp
