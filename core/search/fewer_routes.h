// Fewer routes at the same cost.
#pragma once

#include "core/problem/instance.h"
#include "core/problem/plan.h"

namespace vrp {

// `plan` with routes of one vehicle type joined end to end where that breaks no rule and costs no
// more. `plan` breaks none, but that it may leave customers out. Plans of more than 200 routes stay
// as they are.
Plan WithFewerRoutes(const Instance& instance, Plan plan);

}  // namespace vrp
