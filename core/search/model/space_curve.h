// Nodes in the order of a space-filling curve: near in the order is near in the plane.
#pragma once

#include <vector>

#include "core/problem/instance/instance.h"

namespace vrp {

// All nodes, depots included, along a Hilbert curve (Bartholdi and Platzman 1982): O(N log N).
// `instance` has positions.
std::vector<NodeIndex> CurveOrder(const Instance& instance);

}  // namespace vrp
