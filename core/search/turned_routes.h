// Routes that are cheaper the other way round.
#pragma once

#include "core/base/stop.h"
#include "core/problem/instance/instance.h"
#include "core/problem/plan/plan.h"

namespace vrp {

// Returns `plan` with each route backwards whose cost falls by that, where this is feasible and the
// route has no frozen stops. No move of annealing turns a whole route. Only instances with matrices
// have such routes. `plan` breaks no rule, but may leave customers out. Returns early when `stop`
// holds, with what was turned by then.
Plan WithTurnedRoutes(const Instance& instance, Plan plan, const StopCondition& stop);

}  // namespace vrp
