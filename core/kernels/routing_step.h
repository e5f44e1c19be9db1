// The one step of a rollout: which nodes may come next, and what going there changes. Every pass of
// every engine (rollout, second pass, float64 reference, GPU) goes by these functions, so that all
// of them walk the same routes. Plain structs and functions of them, no containers, nothing
// virtual.
//
// A vehicle is never sent to the depot twice in a row; after the last customer its way back is
// counted (unless routes are open) and the trajectory is done. Everything is kept in double, in the
// instance's own units, and judged as core/problem/checker.cc judges a plan: with half of its
// room for rounding, so that what is allowed here passes there.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "core/kernels/routing_problem.h"

namespace vrp {

// A problem with what its limits come to.
struct StepRules {
  RoutingProblem problem;
  double load_limit = 0;  // these three with room for rounding
  double distance_limit = 0;
  double duration_limit = 0;
  double time_room = 0;
  bool timed = false;    // windows or a duration limit
  bool bounded = false;  // a distance limit
  bool pickups = false;
};

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

template <typename Real>
constexpr Real RoundedLength(Metric metric, Real dx, Real dy) {
  const Real length = std::sqrt(dx * dx + dy * dy);
  switch (metric) {
    case Metric::kExact:
      return length;
    case Metric::kRounded:
      return std::floor(length + Real{0.5});
    case Metric::kCeiled:
      return std::ceil(length);
    case Metric::kDimacs:
      return std::floor(Real{10} * length) / Real{10};
    case Metric::kScaled1000:
      return std::floor(Real{1000} * length + Real{0.5});
  }
  return length;
}

// As Instance::Distance and Instance::Duration.
constexpr double LegDistance(const RoutingProblem& problem, int32_t from, int32_t to) {
  if (problem.distances != nullptr) {
    return problem.distances[static_cast<int64_t>(from) * problem.nodes + to];
  }
  return RoundedLength(problem.metric, problem.x[from] - problem.x[to],
                       problem.y[from] - problem.y[to]);
}
constexpr double LegDuration(const RoutingProblem& problem, int32_t from, int32_t to,
                             double distance) {
  if (problem.durations == nullptr) return distance / problem.speed;
  return problem.durations[static_cast<int64_t>(from) * problem.nodes + to];
}

constexpr double ValueAt(const double* values, int32_t node, double otherwise = 0) {
  return values == nullptr ? otherwise : values[node];
}
constexpr double Larger(double a, double b) { return a > b ? a : b; }
constexpr double Smaller(double a, double b) { return a < b ? a : b; }

constexpr StepRules MakeStepRules(const RoutingProblem& problem) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  StepRules rules{.problem = problem};
  double horizon = 1;
  for (int32_t n = 0; problem.window_closes != nullptr && n < problem.nodes; ++n) {
    if (problem.window_closes[n] < kInfinity) horizon = Larger(horizon, problem.window_closes[n]);
  }
  rules.time_room = 0.5e-6 * horizon;
  rules.load_limit = problem.capacity + 0.5e-9 * Larger(1, problem.capacity);
  rules.distance_limit = problem.distance_limit + 0.5e-6 * Larger(1, problem.distance_limit);
  rules.duration_limit =
      problem.duration_limit + Larger(rules.time_room, 0.5e-6 * problem.duration_limit);
  rules.bounded = !problem.tsp && problem.distance_limit < kInfinity;
  rules.timed =
      !problem.tsp && (problem.window_opens != nullptr || problem.window_closes != nullptr ||
                       problem.duration_limit < kInfinity);
  rules.pickups = !problem.tsp && problem.backhauls != nullptr;
  return rules;
}

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
  if (visit.begin > ValueAt(problem.window_closes, node, kInfinity) + rules.time_room) return false;
  double end = visit.leave;
  double delay = visit.delay;
  if (!problem.open_routes) {
    end += LegDuration(problem, node, 0, way_back);
    const double close = ValueAt(problem.window_closes, 0, kInfinity);
    if (end > close + rules.time_room) return false;
    delay = Smaller(delay, visit.waited + (close - end));
  }
  const double later = Larger(0, Smaller(visit.waited, delay));
  return end - ValueAt(problem.window_opens, 0) - later <= rules.duration_limit;
}

// Loads alone: deliveries come before pick-ups, and either fits into the vehicle.
constexpr bool FitsLoad(const StepRules& rules, const RouteState& state, int32_t node) {
  const double demand = ValueAt(rules.problem.demands, node);
  if (demand > 0 && state.picking) return false;
  const double backhaul = rules.pickups ? rules.problem.backhauls[node] : 0;
  return state.delivered + demand <= rules.load_limit &&
         (backhaul <= 0 || state.picked_up + backhaul <= rules.load_limit);
}

// Whether a trajectory that is not done may go to `node` next.
constexpr bool IsAllowed(const StepRules& rules, const RouteState& state, const uint8_t* visited,
                         int32_t node) {
  const RoutingProblem& problem = rules.problem;
  if (problem.tsp) return visited[node] == 0;
  if (node == 0) return state.current != 0;
  if (visited[node] != 0 || !FitsLoad(rules, state, node)) return false;
  if (!rules.timed && !rules.bounded) return true;
  const double distance = LegDistance(problem, state.current, node);
  const double way_back = problem.open_routes ? 0 : LegDistance(problem, node, 0);
  if (state.distance + distance + way_back > rules.distance_limit) return false;
  return !rules.timed || IsInTime(rules, state, node, distance, way_back);
}

// Goes to `node`, which must be allowed.
constexpr void Take(const StepRules& rules, int32_t node, RouteState& state, uint8_t* visited) {
  const RoutingProblem& problem = rules.problem;
  if (problem.tsp && state.first < 0) {
    state.first = state.current = node;
    visited[node] = 1;
    if (--state.left == 0) state.cost = LegDistance(problem, node, node);
    return;
  }
  const bool returns = node == 0 && !problem.tsp;
  const double distance =
      returns && problem.open_routes ? 0 : LegDistance(problem, state.current, node);
  state.cost += distance;
  if (returns) {
    BeginRoute(rules, state);
    state.current = 0;
    return;
  }
  if (rules.timed) {
    const Visit visit = VisitAt(rules, state, node, distance);
    state.time = visit.leave;
    state.waited = visit.waited;
    state.delay = visit.delay;
  }
  state.distance += distance;
  state.delivered += ValueAt(problem.demands, node);
  if (rules.pickups && problem.backhauls[node] > 0) {
    state.picking = true;
    state.picked_up += problem.backhauls[node];
  }
  visited[node] = 1;
  state.current = node;
  if (--state.left > 0 || (problem.open_routes && !problem.tsp)) return;
  state.cost += LegDistance(problem, node, problem.tsp ? state.first : 0);
}

// The shares of routing_problem.h, [kContextShares].
template <typename T>
constexpr void WriteShares(const StepRules& rules, const RouteState& state, T* shares) {
  const RoutingProblem& problem = rules.problem;
  const double used = state.picking ? state.picked_up : state.delivered;
  const bool limited =
      problem.capacity > 0 && problem.capacity < std::numeric_limits<double>::infinity();
  shares[0] = static_cast<T>(limited ? (problem.capacity - used) / problem.capacity : 1);
  shares[1] = shares[2] = 0;
  if (rules.timed && problem.horizon > 0) {
    const double gone = (state.time - ValueAt(problem.window_opens, 0)) / problem.horizon;
    shares[1] = static_cast<T>(Smaller(gone, 2));
  }
  if (rules.bounded && problem.scale > 0) {
    shares[2] =
        static_cast<T>(Smaller((problem.distance_limit - state.distance) / problem.scale, 2));
  }
  shares[3] = static_cast<T>(state.picking ? 1 : 0);
}

// Capacities alone: nothing but a comparison a node, which compilers make vectors of.
template <typename T>
constexpr int32_t WriteLoadMask(const StepRules& rules, double delivered,
                                const uint8_t* __restrict visited, T* __restrict mask) {
  constexpr T kForbidden = -std::numeric_limits<T>::infinity();
  const double* __restrict demands = rules.problem.demands;
  const double limit = rules.load_limit;
  const int32_t nodes = rules.problem.nodes;
  int32_t count = 0;
  for (int32_t n = 0; n < nodes; ++n) {
    const bool allowed = (visited[n] == 0) & (delivered + demands[n] <= limit);
    mask[n] = allowed ? T{0} : kForbidden;
    count += allowed ? 1 : 0;
  }
  return count;
}

// mask [N]: 0 where a node may come next, else -inf. Returns how many may; 0: the trajectory stands
// at the depot and no customer that is left can be served from there.
template <typename T>
constexpr int32_t WriteMask(const StepRules& rules, const RouteState& state,
                            const uint8_t* visited, T* mask) {
  const bool plain = !rules.timed && !rules.bounded && !rules.pickups && !rules.problem.tsp;
  if (plain && rules.problem.demands != nullptr) {
    const int32_t count = WriteLoadMask(rules, state.delivered, visited, mask);
    if (state.current == 0) return count;
    mask[0] = 0;
    return count + 1;
  }
  int32_t count = 0;
  for (int32_t n = 0; n < rules.problem.nodes; ++n) {
    const bool allowed = IsAllowed(rules, state, visited, n);
    mask[n] = allowed ? T{0} : -std::numeric_limits<T>::infinity();
    count += allowed ? 1 : 0;
  }
  return count;
}

}  // namespace vrp
