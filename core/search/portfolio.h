// The choice of methods by size, attributes, threads and budget.
#pragma once

#include <vector>

#include "core/problem/instance/instance.h"
#include "core/search/model/search_options.h"
#include "core/search/route/route_store.h"

namespace vrp {

enum class Method {
  kAnnealing,
  kAnnealedCompletion,  // ends once nothing required is left out
  kFleetReduction,
  kPenalised,
  kPenalisedCompletion,
  kPopulation,
  kRegions
};

struct Stage {
  Method method;
  double share = 1;  // of what earlier stages left of the budget
};

// Returns the stages until nothing required is left out; none where the others do as well.
std::vector<Stage> StagesToComplete(const RouteStore& routes, const SearchOptions& options);
// Returns the stages from there on, to the end of the budget.
std::vector<Stage> StagesToImprove(const RouteStore& routes, const SearchOptions& options);

// Returns whether one Search() on several threads does better than one on each: it searches large
// instances by regions (methods/regions/region_search.h).
bool SearchesTogether(const Instance& instance, const StopCondition& stop);

}  // namespace vrp
