// Optima of tiny instances by exhaustive search, which tests compare solvers with.
#pragma once

#include "core/problem/instance/instance.h"
#include "core/problem/plan/solution.h"

namespace vrp::test {

struct BruteForceResult {
  bool feasible = false;  // false: no plan serves every customer
  Cost cost = 0;
  Plan plan = {};
};

// Tries every split of the customers into routes, in every order, and has the checker check each
// route against all limits of the instance. Takes at most 8 customers (aborts otherwise) and one
// vehicle type. Runs in less than a second.
BruteForceResult BruteForceOptimum(const Instance& instance);

}  // namespace vrp::test
