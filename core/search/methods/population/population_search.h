// Hybrid genetic search.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/base/stop.h"
#include "core/search/methods/population/crossover.h"
#include "core/search/methods/population/granular_search.h"
#include "core/search/methods/population/individual.h"
#include "core/search/methods/population/population.h"
#include "core/search/model/fast_random.h"
#include "core/search/route/penalty_control.h"
#include "core/search/route/plain_penalised_routes.h"

namespace vrp {

// HGS (Vidal 2022): children of two parents are brought to a local optimum where infeasible routes
// are allowed at a penalty, repaired half of the time, and kept by cost and diversity. Not
// thread-safe; `problem` (with a matrix) and `random` must outlive it.
class PopulationSearch {
 public:
  PopulationSearch(const Problem& problem, FastRandom& random, int32_t max_routes);

  // Each makes one individual, brings it to a local optimum and adds it, unless `stop` comes first.
  // From a plan with at most `max_routes` routes that serves every servable customer; from savings
  // with noise (or as AddRandom, where that plan does not serve); from a random tour; from two
  // members of the population, which must not be empty.
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
  // Starts over with an empty population; best() stays.
  void Restart();

 private:
  void Load(const Offspring& offspring);
  void LoadTour(std::span<const NodeIndex> tour);
  bool RoutesFeasible(const Individual& individual) const;
  void Educate(const StopCondition& stop);
  void Keep();
  void KeepBest(const Individual& individual);

  const Problem& problem_;
  FastRandom& random_;
  const int32_t max_routes_;
  PenaltyControl control_;
  PlainPenalisedRoutes routes_;
  GranularSearch search_;
  RouteExchange exchange_;
  Population population_;
  std::optional<Individual> best_;
  int64_t idle_ = 0;
  std::vector<NodeIndex> scratch_;
};

}  // namespace vrp
