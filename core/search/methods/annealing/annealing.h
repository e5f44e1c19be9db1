// The perturbation search: ruin, recreate and exchange of tails, accepted as in simulated
// annealing.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "absl/time/time.h"
#include "core/search/methods/annealing/cooling.h"
#include "core/search/methods/annealing/spread_price.h"
#include "core/search/model/fast_random.h"
#include "core/search/model/search_options.h"
#include "core/search/moves/alternatives.h"
#include "core/search/moves/pruning.h"
#include "core/search/moves/tail_exchange.h"
#include "core/search/moves/type_change.h"
#include "core/search/route/route_store.h"
#include "core/search/ruin_recreate/recreate.h"
#include "core/search/ruin_recreate/ruin.h"

namespace vrp {

// Returns the temperatures of a search that starts from `routes`: shares of the mean cost of an
// edge.
Temperatures UsualTemperatures(const RouteStore& routes);

// SISR (Christiaens and Vanden Berghe 2020), with exchanges of tails between its iterations. The
// best plan has the least weight of required units left out, then the fewest routes where the
// objective says so, then the least cost. On the way, less weight left out always wins while a
// complete plan seems possible. Otherwise units may stay unserved at a penalty that rises, so that
// weight and cost are searched together. Plans on the way may exceed a limit on the spread between
// routes, at a price; the best plan keeps it once one does. Not thread-safe.
class Annealing {
 public:
  // `routes` holds the plan to start from; it and `random` must outlive this.
  Annealing(RouteStore& routes, FastRandom& random, const SearchOptions& options,
            const StopCondition& hard_stop);

  // Ends once the best plan of this, or of another with the same `complete`, leaves nothing out
  // that is required.
  void EndWhenComplete(std::atomic<bool>& complete) { complete_ = &complete; }
  // That `routes` come from a search: hardly any of it is to be undone.
  void BeginCooler();
  // Keeps the temperature, serves no less to pay less, and takes no routes away: for a slice of a
  // longer search. `routes` then hold the plan that was accepted last.
  void KeepTemperature(double temperature) { kept_temperature_ = temperature; }
  // Begins hotter, because `routes` come from a reduction of the fleet, which costs do not guide.
  // `mean_edge_cost` is that of the plan before it.
  void BeginHotter(double mean_edge_cost);
  // Begins at `temperature`, in mean costs of an edge, and tries no smaller fleet: for an
  // individual of a population whose plans have such edges.
  void BeginAt(double temperature, double mean_edge_cost) {
    first_temperature_ = temperature;
    mean_edge_cost_ = mean_edge_cost;
    before_fewer_.tried = true;
  }

  // Runs until options.stop or options.max_iterations end it; past the stop it goes on until
  // `hard_stop` while required units are absent from the best plan. Calls `on_improvement` at most
  // once in some milliseconds, and with the last improvement before it returns. Once, from where it
  // goes on with fewer routes, these may be worse than what was reported before.
  SearchEnd Run(ImprovementFn on_improvement);

  Plan BestPlan() const;
  int64_t iterations() const { return iterations_; }

 private:
  struct Value {
    double missing = 0;  // weight of what is required and left out
    double energy = 0;   // cost, and the weight of the routes
    double excess = 0;   // of the spread between routes, beyond its limit
    double opening = 0;  // of the energy: what the vehicles cost, driven or not
  };
  struct Kept {
    int32_t type = 0;
    std::vector<NodeIndex> nodes = {};
  };

  SearchEnd StopKind(absl::Time now) const;
  void Steer(absl::Time now, ImprovementFn on_improvement);
  void Cool(double phase, absl::Time now);
  void SetUnservedPenalty(double phase, double used);
  void Step();
  void Judge();
  void AdaptBalance();  // to the current plan
  bool Accepts(const Value& value);
  bool AcceptsByAbsence(const Value& value) const;
  int64_t TimesAbsent() const;
  Value Measure() const;
  double Priced(const Value& value) const { return value.energy + price_.value() * value.excess; }
  bool IsUnfinished() const { return best_.missing > 0 || best_.excess > 0; }
  bool Better(const Value& a, const Value& b) const;
  void KeepBest();
  void RestoreBest();
  void Report(ImprovementFn on_improvement);
  // Tries a smaller fleet in one part of the budget, where the objective is not the fewest.
  void SteerFleet(double used);
  bool BeginsFewer(double used) const;
  void BeginFewer();
  void EndFewer();

  RouteStore& routes_;
  FastRandom& random_;
  const SearchOptions& options_;
  const StopCondition hard_stop_;
  const StopCondition insert_until_;
  const Cooling cooling_;
  Ruin ruin_;
  Recreate recreate_;
  TypeChange types_;
  Pruning pruning_;
  Alternatives alternatives_;
  TailExchange tails_;

  std::atomic<bool>* complete_ = nullptr;
  bool fleet_too_small_ = false;
  bool packs_ = false;            // where required units are absent and no route was taken away
  double mean_edge_cost_ = 0;     // of the first plan
  double mean_weight_ = 1;        // of a required unit
  double unserved_penalty_ = 0;   // for a weight of 1 left out; 0: less weight always wins
  double first_temperature_ = 0;  // in mean costs of an edge
  double kept_temperature_ = 0;   // 0: the search cools down
  double temperature_ = 0;
  absl::Time reported_;
  bool unreported_ = false;
  double route_weight_ = 0;  // of a route, besides its cost
  int64_t since_best_ = 0;   // iterations
  SpreadPrice price_;

  Value current_, best_;
  int32_t best_used_ = 0;
  int32_t fewest_routes_ = 1;  // that any plan has
  int64_t current_times_absent_ = 0;
  // Per unit; what is often absent goes first (SISR's fleet minimisation).
  std::vector<int64_t> times_absent_;
  std::vector<Kept> best_routes_;  // by slot
  // The best before fewer routes were tried.
  struct {
    bool tried = false;
    std::vector<Kept> routes = {};
    double cost = 0;
  } before_fewer_;
  int64_t iterations_ = 0;
};

// Returns the mean cost of the ways between visits.
double MeanEdgeCost(const RouteStore& routes);

}  // namespace vrp
