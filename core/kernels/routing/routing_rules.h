// Legs and limits of a routing problem, for the steps of rollouts. All values are double, in the
// instance's own units. The tolerances of loads, distances, durations and times are half of those
// in core/problem/checker, so that allowed steps make feasible plans.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "core/kernels/routing/routing_problem.h"

namespace vrp {

// A problem with its limits, including tolerances. The steps of a TSP ignore the limits.
struct StepRules {
  RoutingProblem problem;
  double load_limit = 0;  // this and the next two include a tolerance
  double distance_limit = 0;
  double duration_limit = 0;
  double time_tolerance = 0;
  bool timed = false;    // whether there are windows or a duration limit; false for a TSP
  bool bounded = false;  // whether there is a distance limit; false for a TSP
  bool pickups = false;  // whether there are backhauls; false for a TSP
};

// Returns the Euclidean length, rounded as `metric` defines.
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

// LegDistance returns the value of Instance::Distance, and LegDuration the value of
// Instance::Duration. `distance` is the LegDistance of the same leg.
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

// Returns the length of a route from the depot via `route` and, unless routes are open, back.
// Ignores limits.
constexpr double RoundTrip(const RoutingProblem& problem, const int32_t* route, int32_t length) {
  double sum = 0;
  int32_t from = 0;
  for (int32_t i = 0; i < length; ++i) {
    sum += LegDistance(problem, from, route[i]);
    from = route[i];
  }
  return problem.open_routes ? sum : sum + LegDistance(problem, from, 0);
}

// Returns the node's value, or `otherwise` if there are no values.
constexpr double ValueAt(const double* values, int32_t node, double otherwise = 0) {
  return values == nullptr ? otherwise : values[node];
}
constexpr double Larger(double a, double b) { return a > b ? a : b; }
constexpr double Smaller(double a, double b) { return a < b ? a : b; }

// Returns the time from the first opening to the last closing of the windows that close, at least
// 1, as the checker does.
constexpr double WindowSpan(const RoutingProblem& problem) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  double first = kInfinity;
  double last = -kInfinity;
  for (int32_t n = 0; problem.window_closes != nullptr && n < problem.nodes; ++n) {
    if (problem.window_closes[n] == kInfinity) continue;
    first = Smaller(first, ValueAt(problem.window_opens, n));
    last = Larger(last, problem.window_closes[n]);
  }
  return Larger(1, last - first);
}

// Derives the limits. Uses explicit fused multiply-adds, so that host and device get bit-identical
// rules whether or not compilers contract products.
constexpr StepRules MakeStepRules(const RoutingProblem& problem) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  StepRules rules{.problem = problem};
  rules.time_tolerance = 0.5e-6 * WindowSpan(problem);
  rules.load_limit = std::fma(0.5e-9, Larger(1, problem.capacity), problem.capacity);
  rules.distance_limit =
      std::fma(0.5e-6, Larger(1, problem.distance_limit), problem.distance_limit);
  rules.duration_limit =
      problem.duration_limit + Larger(rules.time_tolerance, 0.5e-6 * problem.duration_limit);
  rules.bounded = !problem.tsp && problem.distance_limit < kInfinity;
  rules.timed =
      !problem.tsp && (problem.window_opens != nullptr || problem.window_closes != nullptr ||
                       problem.duration_limit < kInfinity);
  rules.pickups = !problem.tsp && problem.backhauls != nullptr;
  return rules;
}

}  // namespace vrp
