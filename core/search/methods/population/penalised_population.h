// Individuals that may break limits, improved by local search.
#pragma once

#include <cstdint>
#include <span>

#include "core/search/methods/population/crossover.h"
#include "core/search/methods/population/population_search.h"
#include "core/search/model/fast_random.h"
#include "core/search/model/route_evaluator.h"
#include "core/search/moves/penalised_local_search.h"
#include "core/search/route/penalised_routes.h"
#include "core/search/route/penalty_control.h"
#include "core/search/ruin_recreate/penalised_recreate.h"

namespace vrp {

// HGS (Vidal 2022): children of two parents are brought to a local optimum where infeasible routes
// are allowed at a penalty, repaired half of the time, and kept by cost and diversity. For a
// problem that CanPenalise.
class PenalisedPopulation : public PopulationSearch {
 public:
  // An individual takes about as long as so many ruins and recreations for each customer.
  static constexpr int64_t kWorkPerCustomer = 2;

  // At most counts[type] routes of each vehicle type.
  PenalisedPopulation(const Problem& problem, FastRandom& random, std::span<const int32_t> counts);

  void AddPlan(const Plan& plan, const StopCondition& stop) override;
  // If plain, from savings with noise (or as AddRandom, where that plan does not serve).
  void AddFounder(const StopCondition& stop) override;
  // From a random tour, or insertions in random order where vehicles are unlike.
  void AddRandom(const StopCondition& stop) override;
  void AddChild(const StopCondition& stop) override;
  bool FleetSuffices(const Plan& plan) const override;

 private:
  void Load(const Offspring& offspring);
  void LoadTour(std::span<const NodeIndex> tour);
  void Educate(const StopCondition& stop);
  void KeepRoutes();
  bool Confirms(const Individual& individual) override;

  PenalisedRoutes routes_;
  PenaltyControl control_;
  PenalisedRecreate recreate_;
  PenalisedLocalSearch search_;
  PenalisedExchange exchange_;
  RouteEvaluator evaluator_;
};

}  // namespace vrp
