// Nodes in the order of a space-filling curve: near in the order is near in the plane.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "core/base/stop.h"
#include "core/problem/instance/instance.h"

namespace vrp {

// All nodes, depots included, along a Hilbert curve (Bartholdi and Platzman 1982): O(N log N).
// `instance` has positions.
std::vector<NodeIndex> CurveOrder(const Instance& instance);

// All of `size` nodes: the first `given` as they are numbered, then from the last always on to the
// nearest by distance(from, to). O(N^2); past `stop` the rest follows in any order.
template <typename DistanceFn>
std::vector<NodeIndex> NearestOrder(int32_t size, int32_t given, const StopCondition& stop,
                                    DistanceFn distance) {
  std::vector<NodeIndex> order(size);
  std::iota(order.begin(), order.end(), 0);
  for (int32_t i = given; i < size; ++i) {
    if (i % 32 == 0 && stop.ShouldStop()) break;
    const NodeIndex from = order[i - 1];
    const auto nearer = [&](NodeIndex a, NodeIndex b) {
      return distance(from, a) < distance(from, b);
    };
    std::iter_swap(order.begin() + i, std::min_element(order.begin() + i, order.end(), nearer));
  }
  return order;
}

}  // namespace vrp
