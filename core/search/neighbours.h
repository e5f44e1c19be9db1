// Which customers are worth trying beside which.
#pragma once

#include <vector>

#include "core/base/stop.h"
#include "core/problem/instance.h"

namespace vrp {

class SearchProblem;

struct NeighbourLists {
  int32_t length = 0;
  std::vector<NodeIndex> near;     // [N, length] by distance; row 0 (the depot) is filled too
  std::vector<NodeIndex> related;  // [N, length] by distance and windows; empty without windows
};

// The `length` best other customers of each node. O(N log N) by a k-d tree where there is no
// matrix, O(N^2) from a matrix. Empty when `stop` came to hold before it was done, or length < 1.
NeighbourLists BuildNeighbourLists(const SearchProblem& problem, int32_t length,
                                   const StopCondition& stop);

}  // namespace vrp
