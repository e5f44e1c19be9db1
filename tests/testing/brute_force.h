// Finds optima of tiny instances by exhaustive search. Tests compare solvers with them.
#pragma once

#include "core/problem/instance/instance.h"
#include "core/problem/plan/solution.h"

namespace vrp::test {

struct BruteForceResult {
  bool feasible = false;  // whether a feasible plan serves every customer
  Cost cost = 0;
  Plan plan = {};
};

// Tries every split of all customers into routes, in every order. The checker checks each route
// against all limits of the instance. Aborts if there are more than 8 customers or more than one
// vehicle type. Runs in less than a second.
BruteForceResult BruteForceOptimum(const Instance& instance);

}  // namespace vrp::test
