// Where a trajectory stands, and what visiting a node makes of its route's times.
#pragma once

#include <cstdint>
#include <limits>

#include "core/kernels/routing/routing_rules.h"

namespace vrp {

// A trajectory in the making. Which nodes are visited stands in an array beside it, [N] bytes.
struct RouteState {
  int32_t current = 0;   // where the vehicle is; of a TSP before its first choice: nowhere
  int32_t first = -1;    // where a TSP's tour began; -1: not yet, or no TSP
  int32_t left = 0;      // nodes to be visited still
  bool picking = false;  // the route has begun to pick up
  double delivered = 0;  // of this route, as all down to `distance`
  double picked_up = 0;
  double time = 0;      // when the vehicle can leave `current`, having left the depot as it opened
  double waited = 0;    // before windows opened, since then
  double delay = 0;     // by which it may leave the depot later without missing a window so far
  double distance = 0;  // driven
  double cost = 0;      // distance of the whole trajectory
};

// At the depot with an empty route behind.
constexpr void BeginRoute(const StepRules& rules, RouteState& state) {
  const RoutingProblem& problem = rules.problem;
  state.picking = false;
  state.delivered = state.picked_up = state.distance = state.waited = 0;
  state.time = ValueAt(problem.window_opens, 0);
  state.delay =
      ValueAt(problem.window_closes, 0, std::numeric_limits<double>::infinity()) - state.time;
}

// `visited` [N] is written too.
constexpr RouteState BeginTrajectory(const StepRules& rules, uint8_t* visited) {
  RouteState state;
  for (int32_t n = 0; n < rules.problem.nodes; ++n) visited[n] = 0;
  if (!rules.problem.tsp) visited[0] = 1;
  state.left = rules.problem.nodes - (rules.problem.tsp ? 0 : 1);
  BeginRoute(rules, state);
  return state;
}

constexpr bool IsDone(const RouteState& state) { return state.left == 0; }

// What a trajectory ended with.
enum class TrajectoryEnd : int32_t { kDone, kUnreachable, kForbidden };

// What a visit to `node` makes of the route's times.
struct Visit {
  double begin = 0;  // of the service
  double leave = 0;
  double waited = 0;
  double delay = 0;
};
constexpr Visit VisitAt(const StepRules& rules, const RouteState& state, int32_t node,
                        double distance) {
  const RoutingProblem& problem = rules.problem;
  const double arrival = state.time + LegDuration(problem, state.current, node, distance);
  Visit visit;
  visit.begin = Larger(arrival, ValueAt(problem.window_opens, node));
  visit.leave = visit.begin + ValueAt(problem.services, node);
  visit.waited = state.waited + (visit.begin - arrival);
  const double close =
      ValueAt(problem.window_closes, node, std::numeric_limits<double>::infinity());
  visit.delay = Smaller(state.delay, visit.waited + (close - visit.begin));
  return visit;
}

// Whether the vehicle comes in time and can still be back in time. A route's duration is the least
// that any start gives: waiting is saved by leaving the depot later, as far as the windows allow.
constexpr bool IsInTime(const StepRules& rules, const RouteState& state, int32_t node,
                        double distance, double way_back) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const RoutingProblem& problem = rules.problem;
  const Visit visit = VisitAt(rules, state, node, distance);
  if (visit.begin > ValueAt(problem.window_closes, node, kInfinity) + rules.time_tolerance)
    return false;
  double end = visit.leave;
  if (!problem.open_routes) {
    end += LegDuration(problem, node, 0, way_back);
    if (end > ValueAt(problem.window_closes, 0, kInfinity) + rules.time_tolerance) return false;
  }
  const double later = Larger(0, Smaller(visit.waited, visit.delay));
  return end - ValueAt(problem.window_opens, 0) - later <= rules.duration_limit;
}

}  // namespace vrp
