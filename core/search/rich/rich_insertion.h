// The best place for an absent unit of a rich problem.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/search/fast_random.h"
#include "core/search/rich/rich_route_set.h"

namespace vrp {

struct RichSpot {
  enum class Reload { kNone, kBefore, kAfter };

  static constexpr int32_t kGivenRoute = -2;

  double cost = RichProblem::kNever;  // added, opening a route included
  int32_t slot = -1;                  // of an existing route; kGivenRoute: the one of FindIn
  int32_t type = -1;                  // of a new route, where there is no slot
  NodeIndex node = -1;                // a shipment's pickup
  NodeIndex delivery = -1;            // -1: no shipment
  int32_t after = 0;                  // the position that `node` follows
  int32_t delivery_after = 0;         // likewise; == after: right behind the pickup
  Reload reload = Reload::kNone;      // beside `node`

  bool found() const { return node >= 0; }
};

// How a recreation looks at places.
struct InsertionMood {
  // Each place that would be the best so far is overlooked with this probability ("blink").
  double blink = 0;
  // New routes are compared by the share of their fixed cost that the unit's load takes up.
  bool shares_fixed_cost = false;
  // With plain_loads only: a customer goes to the vehicle that has the least room left then, at its
  // cheapest place there, and to a new route only where none has.
  bool packs = false;
};

// Not thread-safe; `routes` and `random` must outlive it.
class RichInsertion {
 public:
  RichInsertion(RichRouteSet& routes, FastRandom& random)
      : routes_(routes), problem_(routes.problem()), random_(random) {}

  void SetMood(const InsertionMood& mood) { mood_ = mood; }
  // The cheapest feasible place below `limit`, of any of the unit's alternatives.
  RichSpot Find(int32_t unit, double limit);
  // Returns the cheapest feasible place below `limit` in `route`, a measured route that need not be
  // one of the plan. The result and Filled() are valid until `route` changes.
  RichSpot FindIn(int32_t unit, const RichRoute& route, double limit);
  void Insert(const RichSpot& spot);
  // Returns the nodes of the route with the place filled, valid until the next call.
  std::span<const NodeIndex> Filled(const RichSpot& spot);

 private:
  // Above RichProblem::kScanAllNodes: places beside that many related customers.
  static constexpr int32_t kRelatedLooked = 40;
  static constexpr int32_t kRoutesLooked = 12;  // for a shipment
  static constexpr int32_t kTypesLooked = 48;

  // A vehicle on its way: what a place's judgement knows of the route before it.
  struct Way {
    NodeIndex at = 0;          // where it is
    double departure = 0;      // when it leaves from there; timed only
    TimeSegment segment = {};  // up to there; only where durations are needed
  };

  // The distances between a node and each visit of a route: from the visit, except the last, and to
  // it.
  struct Ways {
    std::vector<double> from = {}, to = {};
    double Added(const RichRoute& route, int32_t after) const {
      return from[after] + to[after + 1] - route.edge[after];
    }
  };

  void FindSingle(NodeIndex node, RichSpot& best);
  void FindTightest(NodeIndex node, RichSpot& best);
  double RoomLeft(const RichRoute& route, NodeIndex node) const;
  void ScanRoute(NodeIndex node, int32_t slot, RichSpot& best);
  void LookBesideRelated(NodeIndex node, RichSpot& best);
  // At places with a reload, or at those without.
  void LookBeside(NodeIndex other, NodeIndex node, bool reload, RichSpot& best);
  bool MayTake(const RichRoute& route, NodeIndex node) const;
  void ConsiderPlace(RichSpot spot, double added, RichSpot& best);
  void ScanReloads(RichSpot spot, RichSpot& best);
  void ConsiderReload(RichSpot spot, RichSpot& best);

  void FindShipment(NodeIndex pickup, NodeIndex delivery, RichSpot& best);
  void ScanShipment(NodeIndex pickup, NodeIndex delivery, int32_t slot, RichSpot& best);
  void MeasureWays(const RichRoute& route, NodeIndex node, Ways& ways) const;
  void ScanDeliveries(RichSpot spot, Way way, double added, RichSpot& best);
  bool HasOwnLoad(NodeIndex node) const;
  bool RoomOnBoard(const RichRoute& route, int32_t after, NodeIndex pickup) const;
  void ConsiderShipment(RichSpot spot, const Way& way, double added, RichSpot& best);

  void FindNewRoute(RichSpot spot, RichSpot& best);
  double NewRouteScore(const RichSpot& spot) const;

  double AddedDistance(const RichRoute& route, int32_t after, NodeIndex node) const;
  bool LoadFits(const RichRoute& route, int32_t after, NodeIndex node) const;
  bool NeedsSimulation(const RichRoute& route, int32_t after, NodeIndex node) const;
  Way WayTo(const RichRoute& route, int32_t position) const;
  // The way on to `node`; false: it comes too late.
  bool Drive(const RichVehicle& vehicle, NodeIndex node, Way& way) const;
  // From `way` to `node` and on to the route's position `next`.
  bool InTime(const RichRoute& route, const Way& way, NodeIndex node, int32_t next) const;
  // Cost of a feasible single insertion whose distance is `added`; kNever: infeasible.
  double ExactCost(const RichSpot& spot, double added);
  // Of a visit of `node` between `way` and the route's position `next`.
  double CostOf(const RichRoute& route, const Way& way, NodeIndex node, int32_t next,
                double added) const;
  double SimulatedCost(const RichSpot& spot);
  const RichRoute& RouteAt(int32_t slot) const {
    return slot == RichSpot::kGivenRoute ? *given_ : routes_.route(slot);
  }
  void Take(const RichSpot& spot, RichSpot& best) {
    if (mood_.blink == 0 || random_.Unit() >= mood_.blink) best = spot;
  }

  RichRouteSet& routes_;
  const RichProblem& problem_;
  FastRandom& random_;
  InsertionMood mood_;
  const RichRoute* given_ = nullptr;  // of the last FindIn
  std::vector<NodeIndex> filled_;
  Ways pickup_ways_, delivery_ways_;
  std::vector<double> least_added_;  // by the delivery, from a place on
  std::vector<int32_t> slots_;
  std::vector<std::pair<double, int32_t>> by_room_;
  bool ends_have_loads_ =
      false;  // of the shipment in hand: its ends are delivered to or collected from too
};

}  // namespace vrp
