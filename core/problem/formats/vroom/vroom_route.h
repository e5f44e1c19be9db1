// Evaluates the custom route of one vehicle of a VROOM file.
#pragma once

#include <cstdint>
#include <vector>

#include "core/problem/checker/checker.h"
#include "core/problem/formats/vroom/vroom_names.h"
#include "core/problem/formats/vroom/vroom_plan.h"
#include "core/problem/formats/vroom/vroom_steps.h"
#include "core/problem/formats/vroom/vroom_times.h"
#include "core/problem/instance/instance.h"
#include "core/problem/plan/plan_value.h"
#include "core/problem/plan/solution.h"

namespace vrp {

// The steps of a vehicle. The vehicle is number `number` of the vehicles of its type.
struct VroomCustomRoute {
  const VroomVehicle* vehicle = nullptr;  // in the file
  int32_t type = 0;
  int64_t number = 0;
  std::vector<VroomRouteStep> steps = {};
};

// The result for one vehicle. The violations are those of windows, the shift and breaks; their
// messages have no route.
struct VroomRouteResult {
  Route route = {};
  VroomPlanRoute plan = {};
  CostSplit split = {};
  std::vector<Violation> violations = {};
};

// Returns the steps with their travel times, service and windows.
std::vector<VroomTimedStep> TimedVroomSteps(const Instance& instance,
                                            const VroomCustomRoute& custom);
// Returns the route whose steps start at `starts`.
VroomRouteResult EvaluateVroomRoute(const Instance& instance, const VroomNames& names,
                                    const VroomCustomRoute& custom,
                                    const std::vector<double>& starts);

}  // namespace vrp
