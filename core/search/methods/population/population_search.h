// Hybrid genetic search.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/base/stop.h"
#include "core/search/methods/population/crossover.h"
#include "core/search/methods/population/individual.h"
#include "core/search/methods/population/population.h"
#include "core/search/model/fast_random.h"
#include "core/search/model/route_evaluator.h"
#include "core/search/moves/penalised_local_search.h"
#include "core/search/route/penalised_routes.h"
#include "core/search/route/penalty_control.h"
#include "core/search/ruin_recreate/penalised_recreate.h"

namespace vrp {

// HGS (Vidal 2022): children of two parents are brought to a local optimum where infeasible routes
// are allowed at a penalty, repaired half of the time, and kept by cost and diversity. Not
// thread-safe; `problem`, which CanPenalise, and `random` must outlive it.
class PopulationSearch {
 public:
  // At most counts[type] routes of each vehicle type.
  PopulationSearch(const Problem& problem, FastRandom& random, std::span<const int32_t> counts);

  // Each makes one individual, brings it to a local optimum and adds it, unless `stop` comes first.
  // From a plan that leaves out nobody who is required and can be served; if plain, from savings
  // with noise (or as AddRandom, where that plan does not serve); from a random tour, or insertions
  // in random order where vehicles are unlike; from two members of the population, which must not
  // be empty.
  void AddPlan(const Plan& plan, const StopCondition& stop);
  void AddFounder(const StopCondition& stop);
  void AddRandom(const StopCondition& stop);
  void AddChild(const StopCondition& stop);

  // That so many individuals will be made in all.
  void Expect(double individuals) { population_.Expect(individuals); }
  int32_t size() const { return population_.size(); }
  bool has_best() const { return best_.has_value(); }
  // The best feasible individual since the start.
  const Individual& best() const { return *best_; }
  // Individuals since the best one was found.
  int64_t idle() const { return idle_; }
  // Whether there is a vehicle for each of the plan's routes.
  bool FleetSuffices(const Plan& plan) const;
  // Starts over with an empty population; best() stays.
  void Restart();

 private:
  void Load(const Offspring& offspring);
  void LoadTour(std::span<const NodeIndex> tour);
  bool RoutesFeasible(const Individual& individual);
  void Educate(const StopCondition& stop);
  void Keep();
  void KeepBest(const Individual& individual);

  const Problem& problem_;
  FastRandom& random_;
  PenalisedRoutes routes_;
  PenaltyControl control_;
  PenalisedRecreate recreate_;
  PenalisedLocalSearch search_;
  RouteExchange exchange_;
  RouteEvaluator evaluator_;
  Population population_;
  std::optional<Individual> best_;
  int64_t idle_ = 0;
};

}  // namespace vrp
