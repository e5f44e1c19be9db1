// Exchanges of the tails of routes, accepted as in simulated annealing.
#pragma once

#include <cstdint>
#include <optional>

#include "core/search/model/fast_random.h"
#include "core/search/moves/tail_swap_evaluator.h"
#include "core/search/route/route_store.h"

namespace vrp {

// 2-opt* (Potvin and Rousseau 1995, "An exchange heuristic for routeing problems with time
// windows") beside ruin and recreate, as TailExchange; where vehicles are unlike, each goes with
// its head or with its tail. The other route may be an unused vehicle's: that cuts one in two,
// which ruins do not where a new route pays only with several customers. Not thread-safe; `routes`
// and `random` must outlive it.
class TailExchange {
 public:
  TailExchange(RouteStore& routes, FastRandom& random);

  // What is to be done beside one ruin and recreate: the more, the longer the routes are. Each
  // exchange is accepted by its own draw at `temperature`, where each route weighs `route_weight`
  // besides its cost. Whether any was made; who is absent stays so.
  bool Run(double temperature, double route_weight);

 private:
  // The best so far and what it adds, or what an exchange may add at most.
  struct Found {
    TailSwap swap = {};
    double added = 0;
    bool any = false;
  };

  bool TryFrom(NodeIndex u, double most_added);
  // With one_way_: whether windows allow an exchange of the tails behind `u` and before `v`, and it
  // adds less than `most_added` by the four ways that change.
  bool MayPay(NodeIndex u, const VisitPlace& from, NodeIndex v, const VisitPlace& to,
              double most_added) const;
  // Returns a bound on what the balance saves by changes of both routes.
  double MostSaved(int32_t slot, int32_t other) const {
    return outlook_.has_value() ? outlook_->MostSavedByTwo(slot, other) : 0;
  }
  void ConsiderUnused(const RouteCut& own, Found& best);
  void Consider(TailSwap swap, Found& best);

  RouteStore& routes_;
  const Problem& problem_;
  FastRandom& random_;
  TailSwapEvaluator tails_;
  bool one_way_ = true;  // all vehicles drive alike, at the same cost of distance, at none of time
  double most_fixed_ = 0;
  double route_weight_ = 0;
  std::optional<BalanceOutlook> outlook_;  // with a balance: of the plan now
};

}  // namespace vrp
