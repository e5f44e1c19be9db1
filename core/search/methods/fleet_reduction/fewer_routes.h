// Fewer routes at the same cost.
#pragma once

#include "core/base/stop.h"
#include "core/problem/instance/instance.h"
#include "core/problem/plan/plan.h"

namespace vrp {

// Returns `plan` with routes of one vehicle type concatenated wherever that is feasible and costs
// no more. `plan` breaks no rule, but may leave customers out. Plans of more than 200 routes stay
// as they are. Returns early when `stop` holds, with what was concatenated by then.
Plan WithFewerRoutes(const Instance& instance, Plan plan, const StopCondition& stop);

}  // namespace vrp
