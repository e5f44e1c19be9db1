// Bounds on the parts of a route, by shortest paths over any customers.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/stop.h"
#include "core/search/model/problem.h"

namespace vrp {

// Lower bounds from each node to a target for one vehicle type (Dijkstra). Ignores breaks.
class ShortestPaths {
 public:
  struct Bound {
    double distance = Problem::kNever;
    double duration = Problem::kNever;  // driving and service, the node's own included
    double latest = -Problem::kNever;   // start at the node that is in time at the target
  };

  // To the start of service at `target` by `latest`, or to nowhere(). O(N^2). Returns early when
  // `stop` holds; then the bounds are not complete().
  ShortestPaths(const Problem& problem, const Vehicle& vehicle, NodeIndex target, double latest,
                const StopCondition& stop);

  // Steps of one object's construction.
  static int64_t Work(const Problem& problem) {
    return 6 * int64_t{problem.size()} * problem.size();
  }
  bool complete() const { return complete_; }
  const Bound& From(NodeIndex node) const { return bounds_[node]; }

 private:
  bool complete_ = true;
  std::vector<Bound> bounds_;  // [N + 1]
};

// Lower bounds from a vehicle's start to each node. Ignores breaks.
class PathsFromStart {
 public:
  struct Bound {
    double distance = Problem::kNever;
    double duration = Problem::kNever;  // driving and service, without the node's own
    double earliest = Problem::kNever;  // start at the node
  };

  // As ShortestPaths, and with as much work.
  PathsFromStart(const Problem& problem, const Vehicle& vehicle, const StopCondition& stop);

  bool complete() const { return complete_; }
  const Bound& To(NodeIndex node) const { return bounds_[node]; }

 private:
  bool complete_ = true;
  std::vector<Bound> bounds_;  // [N]
};

}  // namespace vrp
