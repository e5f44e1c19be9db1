// Neighbour lists that follow a policy's judgement.
#pragma once

#include <span>
#include <vector>

#include "core/problem/plan/solution.h"

namespace vrp {

// Neighbour lists as NeighbourLists has them: [N, length], row by row.
struct ListView {
  std::span<const NodeIndex> nodes;
  int32_t length = 0;
  NodeIndex first = 0;  // the first node that lists hold
};

// How often two customers are adjacent in `samples`, plans that a policy drew, is the chance it
// gives to that edge. Each list of `lists` with the node's likely neighbours in front, the
// likeliest first; as many of the last ones drop out as were not listed. Leaves out what is
// no node, and nodes that no list holds.
std::vector<NodeIndex> GuidedLists(ListView lists, std::span<const Plan> samples);

}  // namespace vrp
