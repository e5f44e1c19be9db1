// Finds optima of tiny constrained instances by exhaustive search.
#pragma once

#include "core/problem/plan/plan_value.h"

namespace vrp::test {

struct EnumerationResult {
  PlanValue value = {};
  Plan plan = {};
};

// Tries every subset of the customers, split into routes of every vehicle type, in every order and
// with every position of reloads. The checker decides which of these plans are feasible. Aborts if
// there are more than 6 customers. Takes some tenths of a second.
EnumerationResult EnumerateAll(const Instance& instance);

}  // namespace vrp::test
