// Exchanges of the tails of routes, accepted as in simulated annealing.
#pragma once

#include <vector>

#include "core/search/model/fast_random.h"
#include "core/search/route/plain_route_store.h"

namespace vrp {

// 2-opt* (Potvin and Rousseau 1995, "An exchange heuristic for routeing problems with time
// windows") beside ruin and recreate, whose strings of some customers can't bring over the half of
// a long route. Judged in constant time but for the loads. Not thread-safe; `routes` and `random`
// must outlive it.
class PlainTailExchange {
 public:
  PlainTailExchange(PlainRouteStore& routes, FastRandom& random)
      : routes_(routes), random_(random) {}

  // What is to be done beside one ruin and recreate: the more, the longer the routes are. Each
  // exchange is accepted by its own draw at `temperature`. Whether any was made; no customer may be
  // absent.
  bool Run(double temperature);

 private:
  // The customer that `u` would drive to and what that adds to the distance.
  struct Exchange {
    NodeIndex to = 0;  // 0: none
    double added = 0;
  };

  bool TryFrom(NodeIndex u, double most_added);
  Exchange BestFrom(NodeIndex u, double most_added) const;
  bool InTime(const VisitPlace& from, const VisitPlace& to, NodeIndex u, NodeIndex v) const;
  double LoadUntil(const PlainRoute& route, int32_t end) const;
  void Apply(const VisitPlace& from, const VisitPlace& to);

  PlainRouteStore& routes_;
  FastRandom& random_;
  std::vector<NodeIndex> first_;
  std::vector<NodeIndex> second_;
};

}  // namespace vrp
