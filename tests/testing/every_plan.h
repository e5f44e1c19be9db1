// Generates every plan of a tiny instance.
#pragma once

#include "absl/functional/function_ref.h"
#include "core/problem/instance/instance.h"
#include "core/problem/plan/plan.h"
#include "tests/testing/enumeration.h"

namespace vrp::test {

// Calls `visit` for each plan: each subset of the customers, in each split into routes of each
// vehicle type, in each order. Plans have no reloads, and may be infeasible. Without dropped
// customers, eight customers and one type have 394,353 plans.
void ForEachPlan(const Instance& instance, bool drops_customers,
                 absl::FunctionRef<void(const Plan&)> visit);

// Returns the best of these plans whose routes the checker accepts. Unlike EnumerateAll, it serves
// instances whose rules concern all routes together.
EnumerationResult BestOfEveryPlan(const Instance& instance);

}  // namespace vrp::test
