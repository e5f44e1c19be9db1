// One route with the data that judges an insertion in constant time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/search/model/problem.h"
#include "core/search/model/route_evaluator.h"
#include "core/search/route/time_segment.h"

namespace vrp {

// Parallel arrays over the visits, the vehicle's start and end included. What follows a position is
// a place for an insertion.
struct SearchRoute {
  int32_t type = -1;
  std::vector<NodeIndex> nodes = {};  // empty: the slot is not in use
  std::vector<double> edge = {};      // distance from nodes[i] to nodes[i + 1]
  // Timed only, without breaks: a customer fits after i only when it is reached in time from
  // departure[i] and left so that nodes[i + 1] is left by latest[i + 1].
  std::vector<double> departure = {};
  std::vector<double> latest = {};
  // Vehicles that need the duration and are not simulated: up to i, and from i on.
  std::vector<TimeSegment> head = {}, tail = {};
  // Unless plain_loads, [positions, K]: the most on board in the place's trip until nodes[i] is
  // left, and from then on; what is on board when it is left.
  std::vector<double> most_before = {}, most_after = {}, on_board = {};
  // Of the place's trip: a backhaul up to i; a delivery after i.
  std::vector<char> backhaul_before = {}, linehaul_after = {};
  std::vector<double> release = {};  // the latest of the place's trip; with releases only
  std::vector<double> load = {};     // [K] with plain_loads: all that is delivered
  double distance = 0;
  double travel = 0;   // driving and service, without waiting
  double driving = 0;  // where durations are needed, as travel
  double duration = 0;
  double cost = 0;
  int32_t stops = 0;
  int32_t reloads = 0;
  // Up to this position nothing moves, and nothing comes in before it; the start alone: 0.
  int32_t fixed = 0;

  bool empty() const { return nodes.empty(); }
  int32_t size() const { return static_cast<int32_t>(nodes.size()); }
};

// Fills in `edge`, which follows from type and nodes.
void MeasureEdges(const Problem& problem, SearchRoute& route);

// Fills in all that follows from type, nodes and edges. Order and loads are allowed; false:
// distance or times are not.
bool MeasureRoute(const Problem& problem, RouteEvaluator& evaluator, SearchRoute& route);

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
