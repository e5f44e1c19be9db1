#include "core/problem/formats/vroom/vroom_paths.h"

#include <algorithm>

#include "core/base/text.h"

namespace vrp {

std::string VroomVehiclePath(size_t vehicle) { return Concat("vehicles[", vehicle, "]"); }

std::string VroomTaskPath(const VroomInput& input, size_t task) {
  if (task < input.num_jobs) return Concat("jobs[", task, "]");
  const size_t step = task - input.num_jobs;
  return Concat("shipments[", step / 2, step % 2 == 0 ? "].pickup" : "].delivery");
}

std::string VroomRequestPath(const VroomInput& input, size_t task) {
  if (task < input.num_jobs) return VroomTaskPath(input, task);
  return Concat("shipments[", (task - input.num_jobs) / 2, "]");
}

std::string VroomDeliveryPath(const VroomInput& input, size_t task) {
  return VroomTaskPath(input, task) +
         (input.tasks[task].delivery_is_amount ? ".amount" : ".delivery");
}

std::string VroomPaths::LocationPath(size_t node) const {
  const auto depots = static_cast<size_t>(nodes_.depots);
  if (node >= depots) return Concat(VroomTaskPath(input_, node - depots), ".location");
  const auto start =
      std::find(nodes_.starts.begin(), nodes_.starts.end(), static_cast<NodeIndex>(node));
  if (start != nodes_.starts.end()) {
    return VroomVehiclePath(static_cast<size_t>(start - nodes_.starts.begin())) + ".start";
  }
  const auto end = std::find(nodes_.ends.begin(), nodes_.ends.end(), static_cast<NodeIndex>(node));
  return VroomVehiclePath(static_cast<size_t>(end - nodes_.ends.begin())) + ".end";
}

}  // namespace vrp
