// Why a customer is in no route.
#pragma once

#include "core/problem/instance.h"
#include "core/problem/solution.h"

namespace vrp {

// Writes a reason to each of solution.unserved: "demand exceeds capacity", "time window cannot be
// reached", "fleet exhausted" or "no feasible position found in the budget".
Solution WithReasons(const Instance& instance, Solution solution);

}  // namespace vrp
