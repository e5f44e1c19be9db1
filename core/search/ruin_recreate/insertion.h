// The best place for an absent unit.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/search/model/fast_random.h"
#include "core/search/route/route_store.h"
#include "core/search/ruin_recreate/rule_filter.h"

namespace vrp {

struct InsertionPlace {
  enum class Reload { kNone, kBefore, kAfter, kAfterDelivery };

  static constexpr int32_t kGivenRoute = -2;

  double cost = Problem::kNever;  // added, opening a route included
  int32_t slot = -1;              // of an existing route; kGivenRoute: the one of FindIn
  int32_t type = -1;              // of a new route, where there is no slot
  NodeIndex node = -1;            // a shipment's pickup
  NodeIndex delivery = -1;        // -1: no shipment
  int32_t after = 0;              // the position that `node` follows
  int32_t delivery_after = 0;     // likewise; == after: right behind the pickup
  Reload reload = Reload::kNone;  // beside `node` or, with kAfterDelivery, behind `delivery`
  NodeIndex reload_depot = -1;

  bool found() const { return node >= 0; }
};

// How a recreation judges places.
struct InsertionPolicy {
  // Each place that would be the best so far is overlooked with this probability ("blink").
  double blink = 0;
  // New routes are compared by the share of their fixed cost that the unit's load takes up.
  bool shares_fixed_cost = false;
  // With plain_loads only: a customer goes to the vehicle that has the least room left then, at its
  // cheapest place there, and to a new route only where none has.
  bool packs = false;
};

// Not thread-safe; `routes` and `random` must outlive it.
class Insertion {
 public:
  Insertion(RouteStore& routes, FastRandom& random);

  void SetPolicy(const InsertionPolicy& policy) { policy_ = policy; }
  // The cheapest feasible place below `limit`, of any of the unit's alternatives.
  InsertionPlace Find(int32_t unit, double limit);
  // Returns the cheapest feasible place below `limit` in `route`, a measured route that need not be
  // one of the plan, but is to be that of `slot` (-1: of a new one). The result and Filled() are
  // valid until `route` changes.
  InsertionPlace FindIn(int32_t unit, int32_t slot, const SearchRoute& route, double limit);
  void Insert(const InsertionPlace& place);
  // Returns the nodes of the route with the place filled, valid until the next call.
  std::span<const NodeIndex> Filled(const InsertionPlace& place);

 private:
  // Above Problem::kScanAllNodes: places beside that many related customers.
  static constexpr int32_t kRelatedLooked = 40;
  static constexpr int32_t kRoutesLooked = 12;  // for a shipment
  static constexpr int32_t kTypesLooked = 48;
  static constexpr size_t kTypesBounded = 16;  // up to as many, costs of new routes are kept

  // A vehicle on its way: what a place's judgement knows of the route before it.
  struct Way {
    NodeIndex at = 0;          // where it is
    double departure = 0;      // when it leaves from there; timed only
    TimeSegment segment = {};  // up to there; only where durations are needed
  };

  // The distances between a node and visits of a route: from each visit, and to it.
  struct Ways {
    std::vector<double> from = {}, to = {};
    double Added(const SearchRoute& route, int32_t after) const {
      return from[after] + to[after + 1] - route.edge[after];
    }
  };

  // Find for an instance with a balance: costs include what the place changes about the spread.
  InsertionPlace FindBalanced(const Unit& unit, double limit);
  void FindBalancedIn(int32_t slot, const BalanceOutlook& outlook, InsertionPlace wanted,
                      InsertionPlace& best);
  void TryAllPlaces(int32_t slot, const BalanceOutlook& outlook, InsertionPlace wanted,
                    InsertionPlace& best);
  void FindBalancedNew(const BalanceOutlook& outlook, InsertionPlace wanted, InsertionPlace& best);
  // Fills balanced_slots_ with the routes near the unit, and the smallest one.
  void GatherBalanced(std::span<const NodeIndex> nodes, const BalanceOutlook& outlook);
  void GatherAll();
  // Returns the measure of the route with the place filled; kNever if it is infeasible.
  double MeasureWith(const InsertionPlace& place);
  void FindSingle(NodeIndex node, InsertionPlace& best);
  void FindTightest(NodeIndex node, InsertionPlace& best);
  double RoomLeft(const SearchRoute& route, NodeIndex node) const;
  // Positions [begin, end) after which a customer may come; at the others it is not in time on any
  // way, however short.
  struct Positions {
    int32_t begin = 0;
    int32_t end = 0;
  };
  // The window of a customer that has one, and what follows from it for a visit.
  struct VisitBounds {
    double open = 0;
    double service = 0;
    double last_arrival = 0;
    double first_leave = 0;
  };
  VisitBounds BoundsOf(NodeIndex node) const;
  Positions PositionsInTime(const SearchRoute& route, const VisitBounds& bounds) const;
  // Likewise, and at the others the rules between customers do not allow `node` either.
  Positions PositionsFor(NodeIndex node, const SearchRoute& route, const VisitBounds& bounds) const;
  bool InOrder(NodeIndex node, const SearchRoute& route, int32_t after) const;
  void ScanRoutes(NodeIndex node, std::span<const int32_t> slots, InsertionPlace& best);
  template <bool kJudgesTime>
  void ScanByRow(NodeIndex node, std::span<const int32_t> slots, InsertionPlace& best);
  void ScanCheapestFirst(NodeIndex node, std::span<const int32_t> slots, InsertionPlace& best);
  void LookBesideRelated(NodeIndex node, InsertionPlace& best);
  // Of insertions before and behind each of `looked`, what they add to the distance.
  struct AddedBeside {
    std::array<double, kRelatedLooked> before, behind;
  };
  void MeasureBeside(NodeIndex node, std::span<const NodeIndex> looked, AddedBeside& added) const;
  // At places with a reload, or at those without.
  void LookBeside(NodeIndex other, NodeIndex node, bool reload, InsertionPlace& best);
  bool MayTake(int32_t slot, NodeIndex node) const {
    return problem_.delivered(node)[0] <= routes_.rooms()[slot] &&
           (!asks_more_ || (MayTake(routes_.route(slot), node) && rules_.Allows(slot)));
  }
  bool MayTake(const SearchRoute& route, NodeIndex node) const;
  // Whether `route`, which is to be that of `slot`, may serve `nodes` by the rules of customers.
  bool RulesAllow(std::span<const NodeIndex> nodes, int32_t slot, const SearchRoute& route);
  // After that position of the route in that slot, at that added distance.
  void Consider(NodeIndex node, int32_t slot, const SearchRoute& route, int32_t after, double added,
                InsertionPlace& best);
  // Whether a trip that ends there has a customer, or may be empty.
  bool MayReloadBehind(const SearchRoute& route, int32_t position) const {
    if (position == 0) return problem_.vehicle(route.type).may_unload_first;
    return !problem_.is_depot(route.nodes[position]);
  }
  void ScanReloads(InsertionPlace place, InsertionPlace& best);
  void ConsiderReload(InsertionPlace place, InsertionPlace& best);

  void FindShipment(NodeIndex pickup, NodeIndex delivery, InsertionPlace& best);
  void ScanShipment(NodeIndex pickup, NodeIndex delivery, int32_t slot, InsertionPlace& best);
  void MeasureWays(const SearchRoute& route, NodeIndex node, Positions after, Ways& ways) const;
  void ScanDeliveries(InsertionPlace place, Way way, double added, InsertionPlace& best);
  bool HasOwnLoad(NodeIndex node) const;
  bool RoomOnBoard(const SearchRoute& route, int32_t after, NodeIndex pickup) const;
  void ConsiderShipment(InsertionPlace place, const Way& way, double added, InsertionPlace& best);
  // Whether reloads beside the shipment in hand may help.
  bool MayReload(const Vehicle& vehicle) const {
    return vehicle.max_reloads > 0 && (ends_have_loads_ || vehicle.may_unload_first);
  }
  void ConsiderShipmentReloads(InsertionPlace place, InsertionPlace& best);

  void BoundNewRoutes();  // fills in least_alone_
  bool MayPayAlone(NodeIndex node, const InsertionPlace& best) const {
    return !best.found() || least_alone_.empty() || least_alone_[node] < best.cost;
  }
  void FindNewRoute(InsertionPlace place, InsertionPlace& best);
  // Returns the least distance of a route over `node` alone, reloads before it included.
  double LeastDistanceAlone(const Vehicle& vehicle, NodeIndex node) const;
  // Likewise for each new route with a reload of the vehicle `place.type`.
  void ConsiderNewReloads(InsertionPlace place, double limit, double& best_score,
                          InsertionPlace& best);
  // Takes the place if its cost is below `limit` and its score below `best_score`.
  void ConsiderNewRoute(InsertionPlace place, double limit, double& best_score,
                        InsertionPlace& best);
  double NewRouteScore(const InsertionPlace& place) const;

  double AddedDistance(const SearchRoute& route, int32_t after, NodeIndex node) const;
  bool LoadFits(const SearchRoute& route, int32_t after, NodeIndex node) const;
  bool NeedsSimulation(const SearchRoute& route, int32_t after, NodeIndex node) const;
  // Of one customer alone; what is simulated may be late all the same.
  bool InTime(const SearchRoute& route, int32_t after, NodeIndex node) const;
  Way WayTo(const SearchRoute& route, int32_t position) const;
  // The way on to `node`; false: it comes too late.
  bool Drive(const Vehicle& vehicle, NodeIndex node, Way& way) const;
  // From `way` to `node` and on to the route's position `next`.
  bool InTime(const SearchRoute& route, const Way& way, NodeIndex node, int32_t next) const;
  // Cost of a feasible single insertion whose distance is `added`; kNever: infeasible.
  double ExactCost(const InsertionPlace& place, double added);
  // Of a visit of `node` between `way` and the route's position `next`.
  double CostOf(const SearchRoute& route, const Way& way, NodeIndex node, int32_t next,
                double added) const;
  double SimulatedCost(const InsertionPlace& place);
  const SearchRoute& RouteAt(int32_t slot) const {
    return slot == InsertionPlace::kGivenRoute ? *given_ : routes_.route(slot);
  }
  bool Blinks() { return policy_.blink > 0 && random_.Unit() < policy_.blink; }
  void Take(const InsertionPlace& place, InsertionPlace& best) {
    if (!Blinks()) best = place;
  }

  RouteStore& routes_;
  const Problem& problem_;
  FastRandom& random_;
  InsertionPolicy policy_;
  const bool asks_more_;         // of a route than its room
  const bool costs_distance_;    // and nothing else, and loads are plain
  const bool by_row_;            // all distances to and from a customer are in one row of a matrix
  const bool bounds_positions_;  // single windows
  const bool judges_time_;       // likewise, and durations follow from distances
  RuleFilter rules_;             // of the node in hand, or of both ends of the shipment
  int32_t delivery_from_ = 0;    // the first position that the delivery in hand may follow
  const SearchRoute* given_ = nullptr;  // of the last FindIn
  std::vector<double> least_alone_;     // [N]: no new route for a node costs less; or empty
  std::vector<NodeIndex> filled_;
  Ways pickup_ways_, delivery_ways_;
  std::vector<double> least_added_;  // by the delivery, from a place on
  std::vector<int32_t> slots_, with_room_, balanced_slots_;
  std::vector<InsertionPlace> bounded_;  // their costs are the least possible
  std::vector<std::pair<double, int32_t>> by_room_;
  bool ends_have_loads_ =
      false;  // of the shipment in hand: its ends are delivered to or collected from too
};

// Here, since the scans of a customer spend much of their time in it.
inline Insertion::Positions Insertion::PositionsInTime(const SearchRoute& route,
                                                       const VisitBounds& bounds) const {
  int32_t begin = route.fixed;
  int32_t end = route.size() - 1;
  if (!bounds_positions_) return {.begin = begin, .end = end};
  const VisitTimes* const times = route.times.data();
  while (begin < end && bounds.first_leave > times[begin + 1].latest) ++begin;
  while (end > begin && times[end - 1].departure > bounds.last_arrival) --end;
  return {.begin = begin, .end = end};
}

inline Insertion::Positions Insertion::PositionsFor(NodeIndex node, const SearchRoute& route,
                                                    const VisitBounds& bounds) const {
  const Positions positions = PositionsInTime(route, bounds);
  if (!rules_.ordered()) return positions;
  // A copy, so that the usual positions stay in registers.
  Positions in_order = positions;
  rules_.KeepInOrder(node, route, in_order.begin, in_order.end);
  return in_order;
}

inline bool Insertion::InOrder(NodeIndex node, const SearchRoute& route, int32_t after) const {
  if (!rules_.ordered()) return true;
  int32_t begin = 0;
  int32_t end = route.size() - 1;
  rules_.KeepInOrder(node, route, begin, end);
  return begin <= after && after < end;
}

}  // namespace vrp
