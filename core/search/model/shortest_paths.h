// Bounds on the parts of a route, by shortest paths over any customers.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/stop.h"
#include "core/search/model/problem.h"

namespace vrp {

// Lower bounds from a vehicle's start to each node, or from each node to a target (Dijkstra), for
// one vehicle type. Ignores breaks.
class ShortestPaths {
 public:
  struct Bound {
    double distance = Problem::kNever;
    double duration = Problem::kNever;  // driving, and service at all nodes but the last
    double time = Problem::kNever;      // start at the node: the earliest, or the latest that is
                                        // in time at the target
  };

  // Bounds to the start of service at `target`, or at nowhere(), by `latest`. O(N^2). Returns early
  // when `stop` holds; then the bounds are not complete().
  static ShortestPaths To(const Problem& problem, const Vehicle& vehicle, NodeIndex target,
                          double latest, const StopCondition& stop) {
    return {problem, vehicle, false, target, latest, stop};
  }
  // Likewise from the vehicle's start.
  static ShortestPaths FromStart(const Problem& problem, const Vehicle& vehicle,
                                 const StopCondition& stop) {
    return {problem, vehicle, true, vehicle.start, vehicle.leaves_from, stop};
  }

  // Steps of one object's construction.
  static int64_t Work(const Problem& problem) {
    return 6 * int64_t{problem.size()} * problem.size();
  }
  bool complete() const { return complete_; }
  const Bound& Of(NodeIndex node) const { return bounds_[node]; }

 private:
  ShortestPaths(const Problem& problem, const Vehicle& vehicle, bool forward, NodeIndex first,
                double time, const StopCondition& stop);

  bool complete_;
  std::vector<Bound> bounds_;  // [N + 1]
};

}  // namespace vrp
