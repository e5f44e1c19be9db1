// Static features of nodes, which the networks read.
#pragma once

#include <cstdint>
#include <limits>

#include "core/kernels/routing/routing_problem.h"
#include "core/kernels/routing/routing_rules.h"
#include "core/problem/instance/input_names.h"

namespace vrp {

// Number of features of a node. kNodeFeatureNames has their names. One shift and one factor map
// coordinates into the unit square. Lengths are relative to RoutingProblem::scale. Loads are shares
// of the capacity, and times are shares of the horizon, from 0 to 1. Windows count from the depot's
// opening. Missing values are 0, and missing windows are [0, 1].
inline constexpr auto kNodeFeatures = static_cast<int32_t>(kNodeFeatureNames.size());
// open_routes and limit_share (scale / distance limit, at most 4, 0 without a limit) are equal at
// all nodes of an instance. Without coordinates x and y are 0, and only edges give positions. A TSP
// has no depot. Its from_depot and to_depot are 0, or without coordinates the mean distance from
// and to all cities, including the city itself.

// An instance, and the square from which its coordinates are moved and scaled.
struct FeatureFrame {
  RoutingProblem problem;  // with its scale
  double low_x = 0;
  double low_y = 0;
  double side = 1;
};
// Returns the side of the square for this width and height; 1 if all nodes coincide.
constexpr double FrameSide(double width, double height) {
  const double side = Larger(width, height);
  return side > 0 ? side : 1;
}

// Returns from_depot or to_depot, relative to the scale. distance(from, to) is in the instance's
// unit. A TSP with coordinates needs neither feature. A TSP with only a matrix needs the mean
// distances to distinguish its cities.
template <typename Distance>
constexpr double DepotDistance(const RoutingProblem& problem, int32_t node, bool from,
                               const Distance& distance) {
  if (!problem.tsp) return (from ? distance(0, node) : distance(node, 0)) / problem.scale;
  if (problem.x != nullptr) return 0;
  double sum = 0;
  for (int32_t other = 0; other < problem.nodes; ++other) {
    sum += from ? distance(other, node) : distance(node, other);
  }
  return sum / problem.scale / problem.nodes;
}

// Writes the features of `node`, [kNodeFeatures]. Never adds to a product, so that the bits do not
// depend on fused multiply-adds (unless those of `distance` do).
template <typename Distance>
constexpr void WriteNodeFeatures(const FeatureFrame& frame, int32_t node, const Distance& distance,
                                 float* features) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const RoutingProblem& problem = frame.problem;
  const bool timed = problem.window_opens != nullptr;
  const bool limited = problem.capacity != kInfinity && problem.capacity > 0;
  const auto share = [&](const double* amounts) {
    return amounts != nullptr && limited ? amounts[node] / problem.capacity : 0;
  };
  const auto time = [&](const double* times) {
    const double elapsed = (times[node] - problem.window_opens[0]) / problem.horizon;
    return Smaller(Larger(elapsed, 0), 1);
  };
  const auto coordinate = [&](const double* coordinates, double low) {
    return coordinates == nullptr ? 0 : (coordinates[node] - low) / frame.side;
  };
  const double service = timed ? ValueAt(problem.services, node) / problem.horizon : 0;
  const double limit =
      problem.distance_limit == kInfinity ? 0 : problem.scale / problem.distance_limit;
  const double row[kNodeFeatures] = {
      coordinate(problem.x, frame.low_x),
      coordinate(problem.y, frame.low_y),
      share(problem.demands),
      share(problem.backhauls),
      timed ? time(problem.window_opens) : 0,
      timed ? time(problem.window_closes) : 1,
      Smaller(service, 1),
      problem.open_routes ? 1.0 : 0.0,
      Smaller(limit, 4),
      DepotDistance(problem, node, true, distance),
      DepotDistance(problem, node, false, distance),
      node == 0 && !problem.tsp ? 1.0 : 0.0,
  };
  for (int32_t i = 0; i < kNodeFeatures; ++i) features[i] = static_cast<float>(row[i]);
}

}  // namespace vrp
