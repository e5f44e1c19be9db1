// Resolves the steps of a vehicle in a VROOM file.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "absl/status/statusor.h"
#include "core/problem/formats/vroom/vroom_names.h"
#include "core/problem/instance/instance.h"

namespace vrp {

// A step of a custom route whose ids are resolved.
struct VroomRouteStep {
  VroomStepType type = VroomStepType::kTask;
  NodeIndex node = -1;       // of a task
  int32_t break_index = -1;  // index into VehicleType::breaks, of a break
  double earliest = 0;       // bounds of the start in seconds
  double latest = kNoLimit;
};

// Returns the steps of vehicle `vehicle`, with a start and an end even if the file omits them.
// Adds the tasks to `planned`. Returns kInvalidArgument with a path such as
// `vehicles[0].steps[2].id` for a start or end in a wrong place, a break that is unknown or twice
// among the steps, and a task that is in `planned` already.
absl::StatusOr<std::vector<VroomRouteStep>> ResolveVroomSteps(const VroomNames& names,
                                                              size_t vehicle,
                                                              std::set<NodeIndex>& planned);

}  // namespace vrp
