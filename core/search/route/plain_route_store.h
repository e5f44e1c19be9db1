// A feasible partial plan under change: routes with the data that judges a move in constant time,
// and undo.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/problem/plan/solution.h"
#include "core/search/model/problem.h"
#include "core/search/route/undo_log.h"
#include "core/search/route/visit_place.h"

namespace vrp {

// What windows ask of a visit: a customer fits between i and i + 1 exactly when it is reached in
// time from the departure of i, and i + 1 from it by the latest arrival of i + 1 (Savelsbergh 1992,
// "The vehicle routing problem with time windows: minimizing route duration"). Neither ever falls
// along a route.
struct VisitTimes {
  double departure = 0;  // the earliest end of service
  double latest = 0;     // the latest arrival that keeps the rest of the route in time
  double drive = 0;      // duration to the next visit; 0 at the end

  bool operator==(const VisitTimes&) const = default;
};

// Parallel arrays over the visits, the depot at both ends.
struct PlainRoute {
  std::vector<NodeIndex> nodes;
  std::vector<double> edge;       // edge[i]: distance from nodes[i] to nodes[i + 1]
  std::vector<VisitTimes> times;  // with windows only
  double load = 0;
  double distance = 0;

  int32_t customers() const { return static_cast<int32_t>(nodes.size()) - 2; }
  bool empty() const { return nodes.size() <= 2; }
};

// A place for a customer: in routes()[route] right after position `after`.
struct PlainInsertionPlace {
  int32_t route = -1;  // -1: none
  int32_t after = 0;
  double cost = 0;  // added distance

  bool found() const { return route >= 0; }
};

// Every route is feasible at any time; customers may be absent. Slots of empty routes stay and are
// used again. Not thread-safe. `problem` must outlive it.
class PlainRouteStore {
 public:
  explicit PlainRouteStore(const Problem& problem);

  const Problem& problem() const { return *problem_; }
  const std::vector<PlainRoute>& routes() const { return routes_; }
  const PlainRoute& route(int32_t index) const { return routes_[index]; }
  const VisitPlace& PlaceOf(NodeIndex customer) const { return places_[customer]; }
  int32_t RouteOf(NodeIndex customer) const { return places_[customer].route; }  // -1: absent
  int32_t PositionOf(NodeIndex customer) const { return places_[customer].position; }
  // Servable customers that no route visits.
  const std::vector<NodeIndex>& absent() const { return absent_; }
  double distance() const { return distance_; }
  int32_t routes_used() const { return used_; }
  bool CanOpenRoute() const { return used_ < problem_->max_routes(); }

  // Takes over what of `plan` is feasible: unknown, repeated and unservable customers are dropped,
  // those that break their route and the routes beyond the fleet (the emptiest) become absent.
  void Load(const Plan& plan);
  Plan ToPlan() const;

  // `nodes` has the depot at both ends and is feasible. Its customers must come from this route, or
  // from a route that is set next: a customer is in no two routes for longer than between the two
  // calls.
  void SetRoute(int32_t index, std::span<const NodeIndex> nodes);
  void Insert(NodeIndex customer, PlainInsertionPlace place);
  // Takes `count` customers from position `begin` (>= 1) on out of the route; they are in no list
  // afterwards: the caller inserts them or calls SetAbsent. Where a detour can be shorter than the
  // direct way (rounded distances, given matrices) the rest may come too late: ask RouteInTime.
  void Remove(int32_t index, int32_t begin, int32_t count);
  void SetAbsent(std::vector<NodeIndex> absent);
  // An empty slot, opened where there is none; needs CanOpenRoute().
  int32_t EmptyRoute();
  // Whether `customer` keeps the windows after position `after`; capacity is the caller's.
  bool InsertionInTime(NodeIndex customer, const PlainRoute& route, int32_t after) const;

  bool RouteInTime(int32_t index) const;

  // All changes since Begin are undone by Rollback. No nesting.
  void Begin();
  void Commit() { undo_.Stop(); }
  void Rollback();

  // Slots changed since they were asked for the last time, each once.
  std::vector<int32_t> TakeChanged() { return changed_.Take(); }

 private:
  struct RouteCopy {
    int32_t from = 0;  // no visit before it has changed
    PlainRoute route;
  };
  // To be called before the route changes from position `from` on.
  void Touch(int32_t index, int32_t from);
  void Measure(PlainRoute& route);
  // Sets departures from position `departs_from` on and latest arrivals from `arrives_until` back
  // to the depot, as far as they change.
  void Retime(PlainRoute& route, int32_t departs_from, int32_t arrives_until);
  // Updates the places of the customers at [begin, end).
  void Place(int32_t index, int32_t begin, int32_t end);
  // Likewise after visits came or went before position `moved_from`: those from there on have new
  // positions, and the ones at [begin, moved_from) new neighbours too.
  void PlaceAgain(int32_t index, int32_t begin, int32_t moved_from);

  const Problem* problem_;
  std::vector<PlainRoute> routes_;
  std::vector<VisitPlace> places_;  // [N]
  std::vector<NodeIndex> absent_;
  double distance_ = 0;
  int32_t used_ = 0;
  int32_t first_empty_ = 0;  // no slot before it is empty

  UndoLog<RouteCopy> undo_;
  ChangedSlots changed_;
  std::vector<NodeIndex> saved_absent_;
  double saved_distance_ = 0;
  int32_t saved_used_ = 0;
};

}  // namespace vrp
