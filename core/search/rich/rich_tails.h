// What becomes of two rich routes that exchange their tails, judged before it is done.
#pragma once

#include <cstdint>
#include <vector>

#include "core/search/rich/rich_route_set.h"

namespace vrp {

// A route in two: its nodes [0, kept), which are the vehicle's start at least, and the rest.
struct RichCut {
  int32_t slot = -1;  // -1: a vehicle that is not used yet (RichTails::TakeUnused)
  int32_t kept = 1;
};

// Both heads go on with the other's tail; that of `own` has a customer.
struct RichTailSwap {
  RichCut own, other;
  bool swaps_vehicles = false;  // each vehicle goes with its tail, not with its head
};

// Keeps scratch space: not thread-safe. `routes` must outlive it.
class RichTails {
 public:
  explicit RichTails(RichRouteSet& routes) : routes_(routes), problem_(routes.problem()) {}

  // Whether what comes after may go elsewhere: it is neither frozen nor bound to its route, and no
  // shipment is on board.
  bool MayCut(const RichCut& cut) const;

  // Makes a vehicle of that type the one of cuts without a slot. False: it has none left.
  bool TakeUnused(int32_t type);
  // How many routes more the swap makes.
  int32_t RoutesAdded(const RichTailSwap& swap) const;
  // Whether the vehicles are unlike, and neither has frozen visits.
  bool MaySwapVehicles(const RichTailSwap& swap) const;

  // The cost that a swap adds if nobody waits or is late: it adds no less, but for reloads that are
  // needless then. O(1), where vehicles' distances cost unlike O(visits).
  double LeastAdded(const RichTailSwap& swap) const;
  // Whether loads and windows fit, as far as it is known without driving there. O(visits).
  bool MayFit(const RichTailSwap& swap) const;
  // The cost that it adds; kNever: it breaks some rule, or adds
  // `limit` or more. Both cuts may be made. O(visits), with breaks as RouteEvaluator.
  double Added(const RichTailSwap& swap, double limit);
  // Does it within a transaction. False: rounding made it too late after all, and all is as before.
  bool Apply(const RichTailSwap& swap);

 private:
  struct Leg {
    double distance = 0;
    double time = 0;  // where vehicles' time costs something
  };
  struct Vehicles {
    int32_t of_own_head = 0;
    int32_t of_other_head = 0;
  };

  const RichRoute& RouteOf(const RichCut& cut) const {
    return cut.slot < 0 ? unused_ : routes_.route(cut.slot);
  }
  Vehicles VehiclesOf(const RichTailSwap& swap) const;
  bool LeavesNobody(const RichTailSwap& swap) const;  // to the other head's vehicle
  bool SplitsShipment(const RichCut& cut) const;
  bool HasBound(const RichCut& cut) const;

  double HeadDistance(const RichCut& cut) const;
  Leg LegOf(const RichRoute& route, int32_t position) const;
  Leg LegBetween(const RichVehicle& vehicle, NodeIndex from, NodeIndex to) const;
  Leg Joint(const RichVehicle& vehicle, const RichCut& head, const RichCut& tail) const;

  bool InTime(const RichCut& head, const RichCut& tail) const;
  bool LoadsFit(const RichTailSwap& swap) const;
  double HeadLoad(const RichCut& cut, int32_t k) const;

  void Join(int32_t type, const RichCut& head, const RichCut& tail, std::vector<NodeIndex>& nodes);
  double CostOf(int32_t type, const std::vector<NodeIndex>& nodes);

  RichRouteSet& routes_;
  const RichProblem& problem_;
  RichRoute unused_;  // from the start to the end
  std::vector<NodeIndex> first_, second_;
};

}  // namespace vrp
