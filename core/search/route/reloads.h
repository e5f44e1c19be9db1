// Reloads within a route's sequence of nodes.
#pragma once

#include <vector>

#include "core/search/model/problem.h"

namespace vrp {

// Takes out the reloads before or after which there is no customer. `nodes` has the vehicle's start
// and end.
inline void DropEmptyTrips(const Problem& problem, std::vector<NodeIndex>& nodes) {
  size_t kept = 1;
  for (size_t i = 1; i + 1 < nodes.size(); ++i) {
    const bool reload = problem.is_depot(nodes[i]);
    if (reload && (kept == 1 || problem.is_depot(nodes[kept - 1]))) continue;
    nodes[kept++] = nodes[i];
  }
  if (kept > 1 && problem.is_depot(nodes[kept - 1])) --kept;
  nodes[kept++] = nodes.back();
  nodes.resize(kept);
}

}  // namespace vrp
