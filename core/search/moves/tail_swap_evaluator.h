// Evaluates exchanges of the tails of two routes before they are made.
#pragma once

#include <cstdint>
#include <vector>

#include "core/search/route/route_store.h"

namespace vrp {

// A route in two: its nodes [0, kept), which are the vehicle's start at least, and the rest.
struct RouteCut {
  int32_t slot = -1;  // -1: a vehicle that is not used yet (TailSwapEvaluator::TakeUnused)
  int32_t kept = 1;
};

// Both heads go on with the other's tail; that of `own` has a customer.
struct TailSwap {
  RouteCut own, other;
  bool swaps_vehicles = false;  // each vehicle goes with its tail, not with its head
};

// Keeps scratch space: not thread-safe. `routes` must outlive it.
class TailSwapEvaluator {
 public:
  explicit TailSwapEvaluator(RouteStore& routes) : routes_(routes), problem_(routes.problem()) {}

  // Whether what comes after may go elsewhere: it is neither frozen nor bound to its route, and no
  // shipment is on board, and no customers before and after must share the route.
  bool MayCut(const RouteCut& cut) const;

  // Makes a vehicle of that type the one of cuts without a slot. False: it has none left.
  bool TakeUnused(int32_t type);
  // How many routes more the swap makes.
  int32_t RoutesAdded(const TailSwap& swap) const;
  // Whether the vehicles are unlike, and neither has frozen visits.
  bool MaySwapVehicles(const TailSwap& swap) const;

  // The cost that a swap adds if nobody waits or is late: it adds no less, but for reloads that are
  // needless then. O(1), where vehicles' distances cost unlike O(visits).
  double LeastAdded(const TailSwap& swap) const;
  // Whether windows fit, as far as it is known without driving there. O(1).
  bool InTime(const TailSwap& swap) const {
    return InTime(swap.own, swap.other) && InTime(swap.other, swap.own);
  }
  // Whether loads and windows fit, as far as it is known without driving there. O(visits).
  bool MayFit(const TailSwap& swap) const { return InTime(swap) && LoadsFit(swap); }
  // The cost that it adds; kNever: it breaks some rule, or adds
  // `limit` or more. Both cuts may be made. O(visits), with breaks as RouteEvaluator.
  double Added(const TailSwap& swap, double limit);
  // Returns what a feasible swap adds to the cost of the balance. O(slots + visits).
  double AddedByBalance(const TailSwap& swap);
  // Does it within a transaction. False: rounding made it too late after all, and all is as before.
  bool Apply(const TailSwap& swap);

 private:
  struct Leg {
    double distance = 0;
    double time = 0;  // where vehicles' time costs something
  };
  struct Vehicles {
    int32_t of_own_head = 0;
    int32_t of_other_head = 0;
  };

  const SearchRoute& RouteOf(const RouteCut& cut) const {
    return cut.slot < 0 ? unused_ : routes_.route(cut.slot);
  }
  Vehicles VehiclesOf(const TailSwap& swap) const;
  bool LeavesNobody(const TailSwap& swap) const;  // to the other head's vehicle
  bool SplitsShipment(const RouteCut& cut) const;
  bool HasBound(const RouteCut& cut) const;
  bool ChangesReloads(const TailSwap& swap, const Vehicle& first, const Vehicle& second) const;
  bool SplitsGroup(const RouteCut& cut) const;

  // The least service time of the route's customers.
  double ServiceOf(const SearchRoute& route) const;
  double HeadDistance(const RouteCut& cut) const;
  Leg LegOf(const Vehicle& vehicle, NodeIndex from, NodeIndex to, double distance) const;
  Leg LegOf(const SearchRoute& route, int32_t position) const;
  Leg Joint(const Vehicle& vehicle, const RouteCut& head, const RouteCut& tail) const;

  bool InTime(const RouteCut& head, const RouteCut& tail) const;
  bool LoadsFit(const TailSwap& swap) const;
  double HeadLoad(const RouteCut& cut, int32_t k) const;

  void Join(int32_t type, const RouteCut& head, const RouteCut& tail,
            std::vector<NodeIndex>& nodes);
  double CostOf(int32_t type, const std::vector<NodeIndex>& nodes);

  RouteStore& routes_;
  const Problem& problem_;
  SearchRoute unused_;  // from the start to the end
  std::vector<NodeIndex> first_, second_;
};

}  // namespace vrp
