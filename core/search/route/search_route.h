// One route with the data that judges an insertion in constant time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/search/model/problem.h"
#include "core/search/model/route_evaluator.h"
#include "core/search/route/route_trips.h"
#include "core/search/route/time_segment.h"
#include "core/search/route/visit_place.h"

namespace vrp {

// What a route's order of visits sums up to.
struct RouteSums {
  int32_t type = -1;
  int32_t stops = 0;
  int32_t reloads = 0;
  // Up to this position nothing moves, and nothing comes in before it; the start alone: 0.
  int32_t fixed = 0;
  double distance = 0;
  double duration = 0;
  double cost = 0;
  // Where durations are needed.
  double travel = 0;  // driving and service, without waiting
  double driving = 0;
};

// Parallel arrays over the visits, the vehicle's start and end included. What follows a position is
// a place for an insertion.
struct SearchRoute : RouteSums {
  std::vector<NodeIndex> nodes = {};   // empty: the slot is not in use
  std::vector<double> edge = {};       // distance from nodes[i] to nodes[i + 1]
  std::vector<VisitTimes> times = {};  // timed only, as if there were no breaks
  std::vector<double> load = {};       // [K] with plain_loads: all that is delivered
  // Vehicles that need the duration and are not simulated: up to i, and from i on.
  std::vector<TimeSegment> head = {}, tail = {};
  RouteTrips trips = {};  // unless plain_loads, and with releases

  bool empty() const { return nodes.empty(); }
  int32_t size() const { return static_cast<int32_t>(nodes.size()); }
  // The latest departure from position i that keeps the rest of the route in time.
  double LatestDeparture(int32_t i) const {
    return i + 1 == size() ? times[i].latest : times[i + 1].latest - times[i].drive;
  }
};

// Sets `to`, a route of the same problem, to `from` in the memory that it has.
void CopyRoute(const Problem& problem, const SearchRoute& from, SearchRoute& to);
void SwapRoutes(const Problem& problem, SearchRoute& a, SearchRoute& b);

// Fills in `edge`, which follows from type and nodes.
void MeasureEdges(const Problem& problem, SearchRoute& route);

// Fills in all that follows from type, nodes and edges. Order and loads are allowed; false:
// distance or times are not.
bool MeasureRoute(const Problem& problem, RouteEvaluator& evaluator, SearchRoute& route);

// Whether InsertVisit and RemoveVisits serve the route: else it is measured anew after a change.
inline bool ChangesByParts(const Problem& problem, const SearchRoute& route) {
  return problem.plain_loads() && !problem.has_releases() && !problem.vehicle(route.type).simulated;
}
// Inserts `node` so that it is at position `at`, and updates all that changes by it. What the
// insertion breaks is not looked at.
void InsertVisit(const Problem& problem, SearchRoute& route, int32_t at, NodeIndex node);
// Removes `count` visits from position `begin` on, not all, likewise. Returns whether the rest
// keeps its limits: where a detour can be shorter than the direct way, it need not.
bool RemoveVisits(const Problem& problem, SearchRoute& route, int32_t begin, int32_t count);

// Whether who leaves `from` at `departure` reaches the visit at `position` early enough for the
// rest of the route.
inline bool ReachesInTime(const Problem& problem, const Vehicle& vehicle, const SearchRoute& route,
                          NodeIndex from, double departure, int32_t position) {
  const NodeIndex node = route.nodes[position];
  const double arrival = departure + problem.DurationFrom(vehicle, from, node, departure);
  if (!problem.has_setups() || position + 1 == route.size() || problem.is_depot(node)) {
    return problem.InTime(arrival, route.times[position].latest);
  }
  // A setup is needed or not by where the vehicle comes from.
  const double begin = problem.Earliest(node, arrival);
  return begin < Problem::kNever && problem.InTime(begin + problem.Handling(vehicle, from, node),
                                                   route.LatestDeparture(position));
}

// Returns the visit of a customer who comes from elsewhere than a place of setup, of a depot or of
// nowhere(), as a segment.
inline TimeSegment SegmentOf(const Problem& problem, const Vehicle& vehicle, NodeIndex node) {
  if (node == problem.nowhere()) return {.latest = vehicle.shift_close};
  return {.duration = problem.is_depot(node) ? 0 : problem.service(node),
          .earliest = problem.open(node),
          .latest = problem.close(node)};
}

// Returns the visit at `position` of a route that `vehicle` drives over `nodes`: the start within
// its hours, the end before its shift ends.
TimeSegment SegmentAt(const Problem& problem, const Vehicle& vehicle,
                      std::span<const NodeIndex> nodes, int32_t position);

}  // namespace vrp
