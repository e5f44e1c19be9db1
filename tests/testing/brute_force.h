// The optimum of tiny instances, by trying everything: what solvers are held against.
#pragma once

#include "core/problem/instance/instance.h"
#include "core/problem/plan/solution.h"

namespace vrp::test {

struct BruteForceResult {
  bool feasible = false;  // false: no plan serves every customer
  Cost cost = 0;
  Plan plan = {};
};

// Tries every split of the customers into routes in every order, and lets the checker judge each
// route: all limits of the instance hold. At most 8 customers (aborts otherwise) and one vehicle
// type; takes below a second.
BruteForceResult BruteForceOptimum(const Instance& instance);

}  // namespace vrp::test
