// Individuals that keep all limits, improved by ruin and recreate.
#pragma once

#include "core/search/methods/population/crossover.h"
#include "core/search/methods/population/population_search.h"
#include "core/search/model/search_options.h"
#include "core/search/route/route_store.h"
#include "core/search/ruin_recreate/recreate.h"

namespace vrp {

// For every problem: children exchange routes, what they leave out is inserted where it is
// feasible, and a short annealing at low temperatures improves them. Who leaves required units out
// counts as infeasible.
class RecreatedPopulation : public PopulationSearch {
 public:
  // `plan` is complete. A founder takes a share of the options' budget.
  RecreatedPopulation(const Problem& problem, FastRandom& random, const SearchOptions& options,
                      const Plan& plan);

  void AddPlan(const Plan& plan, const StopCondition& stop) override;
  // Both from insertions in random order, a founder by an annealing from high temperatures on.
  void AddFounder(const StopCondition& stop) override;
  void AddRandom(const StopCondition& stop) override;
  void AddChild(const StopCondition& stop) override;

 private:
  void Load(const Plan& plan);
  void InsertAbsent();
  void Educate(const SearchOptions& part, double first_temperature);
  SearchOptions Briefly(const StopCondition& stop) const;
  void KeepRoutes();

  const SearchOptions& options_;
  RouteStore routes_;
  Recreate recreate_;
  RouteExchange exchange_;
  double mean_edge_cost_ = 0;  // of the first plan
  Penalties penalties_;
};

}  // namespace vrp
