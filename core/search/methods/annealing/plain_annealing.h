// The perturbation search over routes: ruin, recreate and exchange of tails, accepted as in
// simulated annealing.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/time/time.h"
#include "core/search/methods/annealing/cooling.h"
#include "core/search/model/fast_random.h"
#include "core/search/model/search_options.h"
#include "core/search/moves/plain_tail_exchange.h"
#include "core/search/route/plain_route_store.h"
#include "core/search/ruin_recreate/plain_recreate.h"
#include "core/search/ruin_recreate/plain_ruin.h"

namespace vrp {

// For a search that starts from `routes`: shares of the mean edge.
Temperatures UsualTemperatures(const PlainRouteStore& routes);

// SISR (Christiaens and Vanden Berghe 2020), with exchanges of tails between its iterations. Fewer
// absent customers always win; then the distance counts. Not thread-safe.
class PlainAnnealing {
 public:
  // `routes` holds the plan to start from, and afterwards the plan that was accepted last; it,
  // `random` and `options` must outlive this.
  PlainAnnealing(PlainRouteStore& routes, FastRandom& random, const SearchOptions& options)
      : PlainAnnealing(routes, random, options, UsualTemperatures(routes)) {}
  PlainAnnealing(PlainRouteStore& routes, FastRandom& random, const SearchOptions& options,
                 Temperatures temperatures);

  // Runs until options.stop or options.max_iterations end it; past the stop it goes on until
  // `hard_stop` while customers that could be served are absent from the best plan. Calls
  // `on_improvement` at most once in some milliseconds, and with the last improvement before it
  // returns.
  SearchEnd Run(const StopCondition& hard_stop, ImprovementFn on_improvement);

  Plan BestPlan() const;
  int64_t iterations() const { return iterations_; }

 private:
  void Cool(absl::Time now);
  SearchEnd StopKind(const StopCondition& hard_stop, absl::Time now) const;
  void ExchangeTails();
  bool Accepts();
  void KeepBest();
  void Report(ImprovementFn on_improvement);

  PlainRouteStore& routes_;
  FastRandom& random_;
  const SearchOptions& options_;
  const Temperatures temperatures_;
  const Cooling cooling_;
  PlainRuin ruin_;
  PlainRecreate recreate_;
  PlainTailExchange tails_;

  double temperature_ = 0;
  absl::Time reported_;
  bool unreported_ = false;

  double current_distance_ = 0;
  int64_t current_absent_sum_ = 0;
  size_t current_absent_ = 0;
  std::vector<int64_t>
      times_absent_;  // per customer; who is often absent goes first (SISR's fleet minimisation)

  std::vector<std::vector<NodeIndex>> best_routes_;  // by slot
  double best_distance_ = 0;
  size_t best_absent_ = 0;
  int64_t iterations_ = 0;
};

}  // namespace vrp
