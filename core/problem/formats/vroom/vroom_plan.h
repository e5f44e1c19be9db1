// Evaluates the custom routes of a VROOM file, as VROOM's plan mode (`-c`) does.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "core/problem/checker/checker.h"
#include "core/problem/formats/vroom/vroom_names.h"
#include "core/problem/formats/vroom/vroom_violations.h"
#include "core/problem/instance/instance.h"
#include "core/problem/plan/solution.h"

namespace vrp {

// The figures and violations of a custom route that VROOM's output reports in addition to its
// times.
struct VroomPlanRoute {
  int64_t number = 0;  // of the vehicle among those of its type, as in VroomNames::VehicleId
  double cost = 0;
  std::vector<VroomViolations> steps = {};  // by step, with the start and the end
  VroomViolations route = {};               // those of no single step
};

// The custom routes of a file with the times that violate least.
struct VroomPlan {
  // One route for each vehicle with steps, in the order of the file. A route may have no visits.
  Solution solution = {};
  std::vector<VroomPlanRoute> routes = {};  // by route of `solution`
  // The violations of time windows, shifts and breaks by these times, and all other violations
  // that CheckPlan finds.
  std::vector<Violation> violations = {};
};

// Evaluates the `steps` of the vehicles in the file from which `instance` and `names` were read.
// The steps may violate any constraint, but their times keep service_at, service_after and
// service_before. ChooseVroomTimes tells which times are best. Returns kInvalidArgument with a path
// such as `vehicles[0].steps[2].id` for steps that are no route: without any steps in the file,
// with a task or break twice or unknown, with bounds that no times keep, or if VROOM's vehicle may
// do no task.
absl::StatusOr<VroomPlan> EvaluateVroomPlan(const Instance& instance, const VroomNames& names);

}  // namespace vrp
