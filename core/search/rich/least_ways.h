// Bounds on the rest of a route, by the shortest ways over any customers.
#pragma once

#include <vector>

#include "core/search/rich/rich_problem.h"

namespace vrp {

// From each node on to a target, by one vehicle: no route does better. Breaks are left out of
// account.
class LeastWays {
 public:
  struct Rest {
    double distance = RichProblem::kNever;
    double duration = RichProblem::kNever;  // driving and service, the node's own included
    double latest = -RichProblem::kNever;   // start at the node that is in time at the target
  };

  // To the start of service at `target` by `latest`, or to nowhere(). By Dijkstra's algorithm:
  // O(N^2).
  LeastWays(const RichProblem& problem, const RichVehicle& vehicle, NodeIndex target,
            double latest);

  const Rest& From(NodeIndex node) const { return rest_[node]; }

 private:
  // Calls `relax(from, to)` for all nodes `from`, once for each settled `to`, in the order in which
  // `before(a, b)` settles nodes.
  template <typename Before, typename Relax>
  void Settle(Before before, Relax relax);
  double Worked(NodeIndex node) const;

  const RichProblem& problem_;
  const RichVehicle& vehicle_;
  const NodeIndex target_;
  std::vector<Rest> rest_;  // [N + 1]
};

}  // namespace vrp
