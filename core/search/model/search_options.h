// The options and the result of a search.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "core/base/stop.h"
#include "core/problem/instance/features.h"
#include "core/problem/instance/instance.h"
#include "core/problem/plan/solution.h"

namespace vrp {

class SharedPlans;

enum class SearchEnd { kDeadline, kCancelled, kIterations, kLocalOptimum };

// Returns the end of a search that stopped for `reason`; `otherwise` if nothing stopped it.
inline SearchEnd EndOf(StopReason reason, SearchEnd otherwise) {
  if (reason == StopReason::kNone) return otherwise;
  return reason == StopReason::kCancelled ? SearchEnd::kCancelled : SearchEnd::kDeadline;
}

struct SearchOptions {
  StopCondition stop;
  // Perturbations; 0: local search of the first plan only. An individual of the population search
  // counts as the ruins and recreations that it took, or as many as take the same time.
  int64_t max_iterations = INT64_MAX;
  uint64_t seed = 1;
  // Plans to start from besides our own constructions; they may leave customers out. Infeasible
  // ones are repaired. The result is never worse than the best of the feasible ones.
  std::vector<Plan> initial = {};
  // Plans that a policy drew, not started from: neighbours beside which they often place a customer
  // are tried first (GuideLists). The search of symmetric TSPs goes by distances alone.
  std::vector<Plan> samples = {};
  // Threads of annealing, regions and populations. All else runs on the calling thread alone.
  int32_t threads = 1;
  // Where searches that run side by side exchange plans, and which of them this is; null: alone.
  // The answer then depends on when the others find what.
  SharedPlans* shared = nullptr;
  int32_t index = 0;
};

struct SearchResult {
  Plan plan;  // best found; may leave customers out when they cannot be served
  Cost cost = 0;
  int64_t iterations = 0;
  SearchEnd ended_by = SearchEnd::kDeadline;
};

using ImprovementFn = absl::FunctionRef<void(const Plan&, Cost)>;

// Whether `instance` has none of the features beyond the plain problem
// (core/problem/instance/features.h): what constructions and local search of their own are for.
inline bool IsPlain(const Instance& instance) { return FeaturesOf(instance).empty(); }

}  // namespace vrp
