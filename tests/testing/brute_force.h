// Finds optima of tiny instances by exhaustive search. Tests compare solvers with them.
#pragma once

#include "core/problem/instance/instance.h"
#include "core/problem/plan/solution.h"

namespace vrp::test {

struct BruteForceResult {
  bool feasible = false;  // false if no plan serves every customer
  Cost cost = 0;
  Plan plan = {};
};

// Tries every split of the customers into routes, in every order. The checker checks each route
// against all limits of the instance. Aborts unless there are at most 8 customers and one vehicle
// type. Runs in less than a second.
BruteForceResult BruteForceOptimum(const Instance& instance);

}  // namespace vrp::test
