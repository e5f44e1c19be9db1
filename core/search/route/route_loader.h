// What of a planned route a vehicle can do.
#pragma once

#include <span>
#include <vector>

#include "core/search/model/route_evaluator.h"
#include "core/search/route/visit_place.h"

namespace vrp {

// Keeps units (in the order of their first visits) as long as the route, that of `slot` (-1: a
// new one), stays feasible; a route that is feasible as a whole costs one look. Not thread-safe;
// what it is given must outlive it.
class RouteLoader {
 public:
  RouteLoader(const Problem& problem, RouteEvaluator& evaluator, const Vehicle& vehicle,
              std::span<const NodeIndex> planned, int32_t slot)
      : problem_(problem),
        evaluator_(evaluator),
        vehicle_(vehicle),
        planned_(planned.begin(), planned.end()),
        slot_(slot),
        marked_(problem.size(), 0) {}

  // The route's nodes with the vehicle's start and end; empty: nothing of it is feasible. Units
  // with a node that some route of `taken` [N] visits are left out, and unknown nodes, and units
  // that must share a route with customers of another one.
  std::vector<NodeIndex> Load(std::span<const VisitPlace> taken);
  // As Load, of a route that begins with the frozen one's visits. It and its deliveries are kept
  // whatever becomes of the rest.
  std::vector<NodeIndex> LoadFrozen(const FrozenSearchRoute& frozen,
                                    std::span<const VisitPlace> taken);

 private:
  void Collect(std::span<const VisitPlace> taken);
  // Whether the customer must share a route with one on another route.
  bool BelongsElsewhere(NodeIndex node, std::span<const VisitPlace> taken) const;
  void Keep(std::span<const std::span<const NodeIndex>> visits);
  // The route with what is marked, in the planned order.
  std::vector<NodeIndex> Marked() const;
  bool IsCustomer(NodeIndex node) const {
    return node >= problem_.depots() && node < problem_.size();
  }

  const Problem& problem_;
  RouteEvaluator& evaluator_;
  const Vehicle& vehicle_;
  std::vector<NodeIndex> planned_;
  const int32_t slot_;
  std::vector<std::span<const NodeIndex>> visits_;  // of each unit
  std::vector<char> marked_;                        // [N]
  std::vector<NodeIndex> kept_;
};

}  // namespace vrp
