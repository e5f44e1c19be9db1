// Where errors about VROOM's input stand in the file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/problem/vroom_input.h"

namespace vrp {

// The places of an instance that is made of VROOM's input: the depots, then the tasks.
struct VroomNodes {
  std::vector<VroomLocation> places = {};         // by node
  std::vector<NodeIndex> starts = {}, ends = {};  // by vehicle
  int32_t depots = 0;
};

// All must outlive it, and the nodes may grow meanwhile. Thread-safe while they do not.
class VroomPaths {
 public:
  VroomPaths(const VroomInput& input, const VroomNodes& nodes) : input_(input), nodes_(nodes) {}

  std::string Place(size_t node) const;

 private:
  const VroomInput& input_;
  const VroomNodes& nodes_;
};

// `vehicles[3]`.
std::string VroomVehiclePath(size_t vehicle);
// `jobs[3]`, `shipments[3].pickup`, `shipments[3].delivery`, as the file counts them.
std::string VroomTaskPath(const VroomInput& input, size_t task);
// Of what stands once for both ends of a shipment: `jobs[3]`, `shipments[3]`.
std::string VroomRequestPath(const VroomInput& input, size_t task);
// `jobs[3].delivery`, or `.amount`, as the file calls it.
std::string VroomDeliveryPath(const VroomInput& input, size_t task);

}  // namespace vrp
