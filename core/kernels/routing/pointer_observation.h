// The features of nodes and step that a decoder can read at a step, besides the encoded nodes.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/kernels/routing/routing_step.h"
#include "core/kernels/support/group.h"

namespace vrp {

// Number of features of each node. They are is_visited, the distances from the vehicle and to the
// depot, the wait before the window opens, and the slack before the window closes. Distances are
// Euclidean, relative to PointerScale. Times are shares of the horizon, or 0 without
// windows.
inline constexpr int32_t kPointerDynamic = 5;
// Number of features of the step: the remaining load, the elapsed time (shares of capacity and
// horizon), and the share of unvisited nodes.
inline constexpr int32_t kPointerContext = 3;

// Returns the side of the square that holds the nodes, or 1 if they coincide. All of `lanes`
// (group.h) must call this function together.
template <typename Lanes>
VRP_DEVICE double PointerScaleBy(const Lanes& lanes, const RoutingProblem& problem) {
  const auto largest = [&](const double* values, double sign) {
    return lanes.template Max<double>(problem.nodes, [&](int32_t n) { return sign * values[n]; });
  };
  const double width = largest(problem.x, 1) + largest(problem.x, -1);
  const double side = Larger(width, largest(problem.y, 1) + largest(problem.y, -1));
  return side > 0 ? side : 1;
}
// Returns the same value, computed on one CPU thread.
double PointerScale(const RoutingProblem& problem);

// Returns the Euclidean distance, relative to `scale`.
constexpr double PointerDistance(const RoutingProblem& problem, double scale, int32_t a,
                                 int32_t b) {
  const double dx = (problem.x[a] - problem.x[b]) / scale;
  const double dy = (problem.y[a] - problem.y[b]) / scale;
  return std::sqrt(dx * dx + dy * dy);
}

// Writes the features of the step to `context` [kPointerContext].
template <typename T>
constexpr void WritePointerContext(const StepRules& rules, const RouteState& state, T* context) {
  const RoutingProblem& problem = rules.problem;
  const bool limited =
      problem.capacity > 0 && problem.capacity < std::numeric_limits<double>::infinity();
  const bool windows = problem.window_opens != nullptr && problem.horizon > 0;
  const double elapsed = windows ? (state.time - problem.window_opens[0]) / problem.horizon : 0;
  const int32_t customers = problem.nodes > 1 ? problem.nodes - 1 : 1;
  context[0] = limited ? static_cast<T>(1 - state.delivered / problem.capacity) : T{1};
  context[1] = static_cast<T>(Smaller(elapsed, 1));
  context[2] = static_cast<T>(Smaller(static_cast<double>(state.left) / customers, 1));
}

// Returns is_visited, which is always 0 for the depot.
template <typename T>
constexpr T PointerVisited(const RoutingProblem& problem, const uint8_t* visited, int32_t node) {
  return node == 0 && !problem.tsp ? T{0} : static_cast<T>(visited[node]);
}

// Wait (0 .. 1) and slack (-1 .. 1) at `node` of an instance with windows, as shares of the
// horizon.
struct PointerTimes {
  double wait = 0;
  double slack = 0;
};
constexpr PointerTimes PointerTimesAt(const StepRules& rules, const RouteState& state,
                                      int32_t node) {
  const RoutingProblem& problem = rules.problem;
  const double distance = LegDistance(problem, state.current, node);
  const double arrival = state.time + LegDuration(problem, state.current, node, distance);
  const double wait = (problem.window_opens[node] - arrival) / problem.horizon;
  const double slack = (problem.window_closes[node] - arrival) / problem.horizon;
  return {Smaller(Larger(wait, 0), 1), Smaller(Larger(slack, -1), 1)};
}

}  // namespace vrp
