// Plans without any sense of direction, but within the limits.
#pragma once

#include <cstdint>

#include "core/problem/instance/instance.h"
#include "core/problem/plan/solution.h"

namespace vrp::test {

// A random plan that the checker calls feasible wherever every customer can be served alone and the
// fleet is not limited: the customers in random order, appended to the open route while the checker
// allows it. Of several vehicle types it uses the first. A TSP gets one random tour.
Plan RandomFeasiblePlan(const Instance& instance, uint64_t seed);

}  // namespace vrp::test
