// The choice of methods by size, attributes, threads and budget.
#pragma once

#include "core/problem/instance/instance.h"
#include "core/search/model/problem.h"
#include "core/search/model/search_options.h"
#include "core/search/route/route_store.h"

namespace vrp {

// Returns whether all vehicles together cannot load what must be delivered, in the first dimension.
// Does not count alternatives.
bool FleetTooSmall(const Instance& instance);

// Returns whether Search() with these options can use several threads: it searches large instances
// by regions (methods/regions/region_search.h) if the fleet can load all demands. Reads
// options.stop and options.needs_detours only.
bool SearchesByRegions(const Instance& instance, const SearchOptions& options);
// Returns the same of a first plan with features.
bool SearchesByRegions(const RouteStore& routes, const SearchOptions& options);

// Returns the share of the budget for ruin and recreate before a population. Up to some hundred
// customers the population is better from the first milliseconds on. With more, its individuals
// take long, and it begins with what the cheaper perturbations found.
double AnnealedShare(const Problem& problem);
// Returns whether a search among plans that break limits goes before ruin and recreate: if each
// unit is required, and a route is worth no more than it costs.
bool MayImprovePenalised(const RouteStore& routes);
// Returns whether that search is a population. (Measured at 1 s: with unlike vehicles or depots up
// to 2 % cheaper, but 3 % dearer where the loads fill the fleet, and with 300 customers and windows
// 0.3 % dearer than ImprovePenalised.)
bool PenalisesByPopulation(const Problem& problem);

}  // namespace vrp
