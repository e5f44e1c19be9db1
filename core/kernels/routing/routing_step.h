// The step function of a rollout: the nodes that may be visited next, and the effect of a visit.
// Every pass of every engine (rollout, second pass, float64 reference, GPU) uses these functions,
// so that all engines build the same routes. Uses no containers or virtual functions.
//
// A vehicle never visits the depot twice in a row. Visiting the last customer adds the return leg
// (unless routes are open) and finishes the trajectory.
#pragma once

#include <cstdint>
#include <limits>

#include "core/kernels/routing/routing_problem.h"
#include "core/kernels/routing/routing_rules.h"
#include "core/kernels/routing/routing_visit.h"

namespace vrp {

// Whether loads allow `node`: deliveries must come before pick-ups, and each load must fit into the
// vehicle.
constexpr bool FitsLoad(const StepRules& rules, const RouteState& state, int32_t node) {
  const double demand = ValueAt(rules.problem.demands, node);
  if (demand > 0 && state.has_picked_up) return false;
  const double backhaul = rules.pickups ? rules.problem.backhauls[node] : 0;
  return state.delivered + demand <= rules.load_limit &&
         (backhaul <= 0 || state.picked_up + backhaul <= rules.load_limit);
}

// Whether an unfinished trajectory may visit `node` next.
constexpr bool IsAllowed(const StepRules& rules, const RouteState& state, const uint8_t* visited,
                         int32_t node) {
  const RoutingProblem& problem = rules.problem;
  if (problem.tsp) return visited[node] == 0;
  if (node == 0) return state.current != 0;
  if (visited[node] != 0 || !FitsLoad(rules, state, node)) return false;
  if (!rules.timed && !rules.bounded) return true;
  const double distance = LegDistance(problem, state.current, node);
  const double return_distance = problem.open_routes ? 0 : LegDistance(problem, node, 0);
  if (state.distance + distance + return_distance > rules.distance_limit) return false;
  return !rules.timed || IsInTime(rules, state, node, distance, return_distance);
}

// Returns the number-th allowed node, modulo the count of allowed nodes; -1 if there is none.
constexpr int32_t AllowedNode(const StepRules& rules, const RouteState& state,
                              const uint8_t* visited, int64_t number) {
  int32_t count = 0;
  for (int32_t n = 0; n < rules.problem.nodes; ++n) {
    count += IsAllowed(rules, state, visited, n) ? 1 : 0;
  }
  if (count == 0) return -1;
  int64_t left = number % count;
  int32_t node = 0;
  while (!IsAllowed(rules, state, visited, node) || left-- > 0) ++node;
  return node;
}

// Visits `node`, which must be allowed.
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
    state.has_picked_up = true;
    state.picked_up += problem.backhauls[node];
  }
  visited[node] = 1;
  state.current = node;
  if (--state.left > 0 || (problem.open_routes && !problem.tsp)) return;
  state.cost += LegDistance(problem, node, problem.tsp ? state.first : 0);
}

// Writes the shares defined in routing_problem.h, [kContextShares].
template <typename T>
constexpr void WriteShares(const StepRules& rules, const RouteState& state, T* shares) {
  const RoutingProblem& problem = rules.problem;
  const double used = state.has_picked_up ? state.picked_up : state.delivered;
  const bool limited =
      problem.capacity > 0 && problem.capacity < std::numeric_limits<double>::infinity();
  shares[0] = static_cast<T>(limited ? (problem.capacity - used) / problem.capacity : 1);
  shares[1] = shares[2] = 0;
  if (rules.timed && problem.horizon > 0) {
    const double elapsed = (state.time - ValueAt(problem.window_opens, 0)) / problem.horizon;
    shares[1] = static_cast<T>(Smaller(elapsed, 2));
  }
  if (rules.bounded && problem.scale > 0) {
    shares[2] =
        static_cast<T>(Smaller((problem.distance_limit - state.distance) / problem.scale, 2));
  }
  shares[3] = static_cast<T>(state.has_picked_up ? 1 : 0);
}

// Writes the mask of a problem with capacities only, in which the depot is forbidden. Returns the
// number of allowed nodes. Needs one comparison per node, which compilers vectorise.
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

// Writes `mask` [N]: 0 for allowed nodes, -inf for others. Returns the number of allowed nodes. It
// is 0 if the trajectory is at the depot and an empty vehicle can serve no remaining customer.
template <typename T>
constexpr int32_t WriteMask(const StepRules& rules, const RouteState& state, const uint8_t* visited,
                            T* mask) {
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
