// The optimum of tiny rich instances, by trying everything.
#pragma once

#include "core/problem/plan/plan_value.h"

namespace vrp::test {

struct Enumerated {
  PlanValue value = {};
  Plan plan = {};
};

// Tries every choice of customers, split into routes of every type in every order with every place
// of reloads, and lets the checker judge: only what it finds nothing wrong with (but customers left
// out) counts. At most 6 customers (aborts otherwise); some tenths of a second.
Enumerated EnumerateAll(const Instance& instance);

}  // namespace vrp::test
