// Searches, and expectations of their results, shared by the tests of complete searches.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>

#include "core/problem/checker/checker.h"
#include "core/problem/plan/plan_value.h"
#include "core/search/search.h"
#include "tests/testing/enumeration.h"

namespace vrp::test {

// Returns the result of a search with that many iterations.
inline SearchResult SearchFor(const Instance& instance, int64_t iterations, uint64_t seed = 1) {
  SearchOptions options;
  options.max_iterations = iterations;
  options.seed = seed;
  return *Search(instance, options);
}

// Expects that the plan breaks no rule, except that it may leave customers out.
inline void ExpectSound(const Instance& instance, const SearchResult& found) {
  const CheckReport report = CheckPlan(instance, found.plan, found.cost);
  for (const Violation& violation : report.violations) {
    EXPECT_EQ(violation.kind, ViolationKind::kMissingCustomer)
        << instance.name() << ": " << violation.message;
  }
}

// Expects the value of the best of all plans.
inline void ExpectOptimal(const Instance& instance) {
  const EnumerationResult best = EnumerateAll(instance);
  const SearchResult found = SearchFor(instance, 3000);
  ExpectSound(instance, found);
  const PlanValue value = ValueOf(instance, found.plan);
  EXPECT_EQ(value.left_out, best.value.left_out) << instance.name();
  EXPECT_EQ(value.routes, best.value.routes) << instance.name();
  EXPECT_NEAR(value.cost, best.value.cost, 1e-6) << instance.name();
}

}  // namespace vrp::test
