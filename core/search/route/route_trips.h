// What is on board along a route, and what may come aboard.
#pragma once

#include <span>
#include <vector>

#include "core/search/model/problem.h"

namespace vrp {

// Of each place's trip, [positions, K] the first three.
struct RouteTrips {
  // The most on board until nodes[i] is left, and from then on; what is on board when it is left.
  std::vector<double> most_before = {}, most_after = {}, on_board = {};
  std::vector<char> backhaul_before = {}, linehaul_after = {};  // up to i, and after i
  std::vector<double> release = {};                             // the latest; with releases only
};

// Whether routes of the problem have any.
inline bool UsesTrips(const Problem& problem) {
  return !problem.plain_loads() || problem.has_releases();
}

// Fills in `trips` of a route over `nodes`, the vehicle's start and end included.
void MeasureTrips(const Problem& problem, std::span<const NodeIndex> nodes, RouteTrips& trips);

// Removes the reloads before or after which there is no customer, except a first one that may
// unload the vehicle's initial load. `nodes` has the vehicle's start and end.
inline void DropEmptyTrips(const Problem& problem, const Vehicle& vehicle,
                           std::vector<NodeIndex>& nodes) {
  size_t kept = 1;
  for (size_t i = 1; i + 1 < nodes.size(); ++i) {
    const bool first = kept == 1;
    const bool empty = first ? !vehicle.may_unload_first : problem.is_depot(nodes[kept - 1]);
    if (empty && problem.is_depot(nodes[i])) continue;
    nodes[kept++] = nodes[i];
  }
  if (kept > 1 && problem.is_depot(nodes[kept - 1])) --kept;
  nodes[kept++] = nodes.back();
  nodes.resize(kept);
}

}  // namespace vrp
