// Nearest neighbours in the plane.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/problem/instance.h"

namespace vrp {

// A k-d tree over positions[first ..]: coinciding points do it no harm, unlike a grid. Queries
// share scratch space: not thread-safe.
class PointTree {
 public:
  // `positions` must outlive the tree.
  PointTree(std::span<const Position> positions, NodeIndex first);

  // The `count` nodes nearest to `node`, itself left out, in no particular order; all of them where
  // there are fewer.
  std::vector<NodeIndex> Nearest(NodeIndex node, int32_t count);

 private:
  void Split(int32_t begin, int32_t end);
  void Visit(int32_t begin, int32_t end);
  void Offer(NodeIndex candidate);
  double Reach() const;  // squared distance beyond which nothing is of interest

  static constexpr int32_t kLeaf = 8;

  std::span<const Position> positions_;
  std::vector<NodeIndex> nodes_;                    // permuted; the middle of each range splits it
  std::vector<char> split_by_x_;                    // at each middle
  std::vector<std::pair<double, NodeIndex>> heap_;  // of the best, the farthest on top
  Position target_;
  NodeIndex self_ = -1;
  int32_t wanted_ = 0;
};

}  // namespace vrp
