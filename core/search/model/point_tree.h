// Nearest neighbours in the plane.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/problem/instance/instance.h"

namespace vrp {

// A k-d tree over positions[first ..]: coinciding points do it no harm, unlike a grid. Distances
// are compared as floats. Queries share scratch space: not thread-safe.
class PointTree {
 public:
  // `positions` must outlive the tree.
  PointTree(std::span<const Position> positions, NodeIndex first);

  // The `count` nodes nearest to `node`, itself left out, the nearest first; all of them where
  // there are fewer. Valid until the next call.
  std::span<const NodeIndex> Nearest(NodeIndex node, int32_t count);

 private:
  void Split(int32_t begin, int32_t end);
  void Visit(int32_t begin, int32_t end);
  void Offer(int32_t begin, int32_t end);
  float ReachFromLast(Position to) const;

  static constexpr int32_t kLeaf = 16;

  std::span<const Position> positions_;
  std::vector<NodeIndex> nodes_;  // permuted; the middle of each range splits it
  std::vector<double> x_, y_;     // theirs
  std::vector<char> split_by_x_;  // at each middle
  // Keys by squared distance, num_found_ of them: about twice as many as are wanted.
  std::vector<uint64_t> found_;
  int64_t num_found_ = 0;
  std::vector<NodeIndex> result_;
  Position target_;
  NodeIndex self_ = -1;
  int32_t wanted_ = 0;
  float reach_ = 0;  // squared distance from which on nothing is of interest
};

}  // namespace vrp
