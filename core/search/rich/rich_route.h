// One route of a rich problem with the data that judges an insertion in constant time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/search/rich/rich_problem.h"
#include "core/search/rich/route_evaluator.h"

namespace vrp {

// A run of visits with single hard windows: the least time it takes, and the first and last start
// that take no longer (Vidal et al. 2013, "A hybrid genetic algorithm with adaptive diversity
// management for a large class of vehicle routing problems with time-windows").
struct RichSegment {
  double duration = 0;
  double early = 0;
  double late = 0;
};

// `a`, then `travel`, then `b`; in time.
inline RichSegment Join(const RichSegment& a, double travel, const RichSegment& b) {
  const double until = a.duration + travel;
  const double wait = std::max(0.0, b.early - until - a.late);
  return {until + b.duration + wait, std::max(b.early - until, a.early) - wait,
          std::min(b.late - until, a.late)};
}

// Parallel arrays over the visits, the vehicle's start and end included. What follows a position is
// a place for an insertion.
struct RichRoute {
  int32_t type = -1;
  std::vector<NodeIndex> nodes = {};  // empty: the slot is not in use
  std::vector<double> edge = {};      // distance from nodes[i] to nodes[i + 1]
  // Timed only, without breaks: a customer fits after i only when it is reached in time from
  // departure[i] and left so that nodes[i + 1] is left by latest[i + 1].
  std::vector<double> departure = {};
  std::vector<double> latest = {};
  // Vehicles that need the duration and are not simulated: up to i, and from i on.
  std::vector<RichSegment> head = {}, tail = {};
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
void MeasureEdges(const RichProblem& problem, RichRoute& route);

// Fills in all that follows from type, nodes and edges. Order and loads are allowed; false:
// distance or times are not.
bool MeasureRoute(const RichProblem& problem, RouteEvaluator& evaluator, RichRoute& route);

// The visit of a customer who comes from elsewhere than a place of setup, as a segment.
inline RichSegment SegmentOf(const RichProblem& problem, const RichVehicle& vehicle,
                             NodeIndex node) {
  if (node == problem.nowhere()) return {0, 0, vehicle.shift_close};
  if (problem.is_depot(node)) return {0, problem.open(node), problem.close(node)};
  return {problem.Service(node), problem.open(node), problem.close(node)};
}

}  // namespace vrp
