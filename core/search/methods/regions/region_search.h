// Search of large instances, a region at a time.
#pragma once

#include <cstdint>

#include "core/problem/plan/plan.h"
#include "core/search/methods/annealing/cooling.h"
#include "core/search/methods/regions/route_pool.h"
#include "core/search/model/search_options.h"

namespace vrp {

// Returns whether a search by regions finds better plans until `stop` than one of the whole
// instance, with so many customers.
bool RegionsPay(int64_t customers, const StopCondition& stop);

// The problem of a search by regions. All members must outlive the search.
struct RegionProblem {
  const Instance& instance;
  NearFn near;
  Temperatures temperatures;  // of a search of the whole instance
  double epsilon = 0;         // differences of cost up to this are rounding
  bool tries_fewer_routes = true;
};

// Ruin and recreate of regions: routes near each other with some hundred customers, as instances of
// their own. Their data stays in the cache, and options.threads (at least one) threads work on
// different regions at the same time. All cool down by one clock. Each slice of the work draws
// regions anew, so that borders move (decomposition by route neighbourhoods: Santini et al. 2023,
// "Decomposition strategies for vehicle routing heuristics").
//
// `plan` is feasible and serves every customer that must be served and can be. Calls
// `on_improvement` on this thread. Deterministic on one thread, by iterations.
SearchResult RegionSearch(const RegionProblem& problem, const Plan& plan,
                          const SearchOptions& options, ImprovementFn on_improvement);

}  // namespace vrp
