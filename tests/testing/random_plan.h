// Builds random feasible plans.
#pragma once

#include <cstdint>

#include "core/problem/instance/instance.h"
#include "core/problem/plan/solution.h"

namespace vrp::test {

// Appends the customers in random order to the last route while the checker finds it feasible, and
// otherwise starts a new route. The plan is feasible if every customer can be served alone and the
// fleet is unlimited. Uses the first vehicle type. A TSP gets one random tour.
Plan RandomFeasiblePlan(const Instance& instance, uint64_t seed);

}  // namespace vrp::test
