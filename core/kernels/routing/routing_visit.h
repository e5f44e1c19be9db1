// The state of a trajectory, and the times of a visit.
#pragma once

#include <cstdint>
#include <limits>

#include "core/kernels/routing/routing_rules.h"

namespace vrp {

// The state of a trajectory. A separate array of [N] bytes marks its visited nodes.
struct RouteState {
  int32_t current = 0;         // the vehicle's node; undefined before a TSP's first choice
  int32_t first = -1;          // a TSP's first node; -1: none
  int32_t left = 0;            // number of nodes still to be visited
  bool has_picked_up = false;  // whether the route has begun to pick up
  double delivered = 0;        // of this route, like all values down to `distance`
  double picked_up = 0;
  // Earliest departure from `current` if the vehicle left the depot when the depot opened. Visits
  // change this and the next two values only with StepRules::timed.
  double time = 0;
  double waited = 0;    // waiting before windows opened, on that schedule
  double delay = 0;     // largest delay of the start that misses no window so far
  double distance = 0;  // driven
  double cost = 0;      // total distance of the trajectory
};

// Begins an empty route when the depot opens. Does not set state.current.
constexpr void BeginRoute(const StepRules& rules, RouteState& state) {
  const RoutingProblem& problem = rules.problem;
  state.has_picked_up = false;
  state.delivered = state.picked_up = state.distance = state.waited = 0;
  state.time = ValueAt(problem.window_opens, 0);
  state.delay =
      ValueAt(problem.window_closes, 0, std::numeric_limits<double>::infinity()) - state.time;
}

// Returns the initial state and initialises `visited` [N].
constexpr RouteState BeginTrajectory(const StepRules& rules, uint8_t* visited) {
  RouteState state;
  for (int32_t n = 0; n < rules.problem.nodes; ++n) visited[n] = 0;
  if (!rules.problem.tsp) visited[0] = 1;
  state.left = rules.problem.nodes - (rules.problem.tsp ? 0 : 1);
  BeginRoute(rules, state);
  return state;
}

constexpr bool IsDone(const RouteState& state) { return state.left == 0; }

// The outcome of a trajectory: finished; no node was allowed; or a forced choice was missing or not
// allowed.
enum class TrajectoryEnd : int32_t { kDone, kUnreachable, kForbidden };

// The route's times after a visit.
struct Visit {
  double begin = 0;  // start of the service
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

// Whether the vehicle arrives in time, can return in time, and keeps the duration limit. A route's
// duration is the minimum over all start times, because a later start saves waiting, as far as the
// windows allow.
constexpr bool IsInTime(const StepRules& rules, const RouteState& state, int32_t node,
                        double distance, double return_distance) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const RoutingProblem& problem = rules.problem;
  const Visit visit = VisitAt(rules, state, node, distance);
  if (visit.begin > ValueAt(problem.window_closes, node, kInfinity) + rules.time_tolerance)
    return false;
  double end = visit.leave;
  if (!problem.open_routes) {
    end += LegDuration(problem, node, 0, return_distance);
    if (end > ValueAt(problem.window_closes, 0, kInfinity) + rules.time_tolerance) return false;
  }
  const double later = Larger(0, Smaller(visit.waited, visit.delay));
  return end - ValueAt(problem.window_opens, 0) - later <= rules.duration_limit;
}

}  // namespace vrp
