// Neighbour lists that follow a policy's judgement.
#pragma once

#include <span>

#include "core/problem/plan/solution.h"
#include "core/search/model/neighbour_lists.h"

namespace vrp {

// Puts the likely neighbours of each node first in `lists.related`, the likeliest first; as many of
// the last ones drop out as were not listed. How often two customers are adjacent in `samples`,
// plans that a policy drew, is the chance it gives to that edge. Leaves out what is no node from
// `first` on.
void GuideLists(std::span<const Plan> samples, NodeIndex first, NeighbourLists& lists);

}  // namespace vrp
