#include "core/search/point_tree.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/search/ranking.h"

namespace vrp {

PointTree::PointTree(std::span<const Position> positions, NodeIndex first) : positions_(positions) {
  nodes_.resize(positions.size() - first);
  std::iota(nodes_.begin(), nodes_.end(), first);
  split_by_x_.resize(nodes_.size());
  Split(0, static_cast<int32_t>(nodes_.size()));
  points_.reserve(nodes_.size());
  for (const NodeIndex node : nodes_) points_.push_back(positions[node]);
}

void PointTree::Split(int32_t begin, int32_t end) {
  if (end - begin <= kLeaf) return;
  Position low = positions_[nodes_[begin]];
  Position high = low;
  for (int32_t i = begin; i < end; ++i) {
    const Position p = positions_[nodes_[i]];
    low = {std::min(low.x, p.x), std::min(low.y, p.y)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y)};
  }
  const bool by_x = high.x - low.x >= high.y - low.y;
  const int32_t middle = begin + (end - begin) / 2;
  std::nth_element(nodes_.begin() + begin, nodes_.begin() + middle, nodes_.begin() + end,
                   [&](NodeIndex a, NodeIndex b) {
                     return by_x ? positions_[a].x < positions_[b].x
                                 : positions_[a].y < positions_[b].y;
                   });
  split_by_x_[middle] = by_x;
  Split(begin, middle);
  Split(middle + 1, end);
}

void PointTree::Offer(int32_t begin, int32_t end) {
  for (int32_t i = begin; i < end; ++i) {
    const double dx = points_[i].x - target_.x;
    const double dy = points_[i].y - target_.y;
    const double squared = dx * dx + dy * dy;
    if (squared < reach_ && nodes_[i] != self_) found_.push_back(RankKey(squared, nodes_[i]));
  }
  // Selecting once for `wanted_` candidates costs less than a heap that each has to pass.
  if (std::ssize(found_) < 2 * int64_t{wanted_}) return;
  KeepLeast(found_, wanted_);
  reach_ = RankedValue(*std::max_element(found_.begin(), found_.end()));
}

void PointTree::Visit(int32_t begin, int32_t end) {
  if (end - begin <= kLeaf) return Offer(begin, end);
  const int32_t middle = begin + (end - begin) / 2;
  const Position split = points_[middle];
  const double offset = split_by_x_[middle] ? target_.x - split.x : target_.y - split.y;
  if (offset < 0) {
    Visit(begin, middle);
  } else {
    Visit(middle + 1, end);
  }
  Offer(middle, middle + 1);
  if (offset * offset > reach_) return;
  if (offset < 0) {
    Visit(middle + 1, end);
  } else {
    Visit(begin, middle);
  }
}

std::span<const NodeIndex> PointTree::Nearest(NodeIndex node, int32_t count) {
  found_.clear();
  self_ = node;
  target_ = positions_[node];
  wanted_ = std::max(count, 0);
  reach_ = std::numeric_limits<float>::infinity();
  if (wanted_ > 0) Visit(0, static_cast<int32_t>(nodes_.size()));
  KeepLeast(found_, wanted_);
  result_.resize(found_.size());
  std::transform(found_.begin(), found_.end(), result_.begin(), RankedNode);
  return result_;
}

}  // namespace vrp
