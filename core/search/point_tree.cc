#include "core/search/point_tree.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace vrp {

PointTree::PointTree(std::span<const Position> positions, NodeIndex first) : positions_(positions) {
  nodes_.resize(positions.size() - first);
  std::iota(nodes_.begin(), nodes_.end(), first);
  split_by_x_.resize(nodes_.size());
  Split(0, static_cast<int32_t>(nodes_.size()));
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

double PointTree::Reach() const {
  if (static_cast<int32_t>(heap_.size()) < wanted_) return std::numeric_limits<double>::infinity();
  return heap_.front().first;
}

void PointTree::Offer(NodeIndex candidate) {
  if (candidate == self_) return;
  const double dx = positions_[candidate].x - target_.x;
  const double dy = positions_[candidate].y - target_.y;
  const double squared = dx * dx + dy * dy;
  if (squared >= Reach()) return;
  if (static_cast<int32_t>(heap_.size()) == wanted_) {
    std::pop_heap(heap_.begin(), heap_.end());
    heap_.pop_back();
  }
  heap_.emplace_back(squared, candidate);
  std::push_heap(heap_.begin(), heap_.end());
}

void PointTree::Visit(int32_t begin, int32_t end) {
  if (end - begin <= kLeaf) {
    for (int32_t i = begin; i < end; ++i) Offer(nodes_[i]);
    return;
  }
  const int32_t middle = begin + (end - begin) / 2;
  const Position split = positions_[nodes_[middle]];
  const double offset = split_by_x_[middle] ? target_.x - split.x : target_.y - split.y;
  if (offset < 0) {
    Visit(begin, middle);
  } else {
    Visit(middle + 1, end);
  }
  Offer(nodes_[middle]);
  if (offset * offset > Reach()) return;
  if (offset < 0) {
    Visit(middle + 1, end);
  } else {
    Visit(begin, middle);
  }
}

std::vector<NodeIndex> PointTree::Nearest(NodeIndex node, int32_t count) {
  heap_.clear();
  self_ = node;
  target_ = positions_[node];
  wanted_ = std::max(count, 0);
  if (wanted_ > 0) Visit(0, static_cast<int32_t>(nodes_.size()));
  std::vector<NodeIndex> result;
  result.reserve(heap_.size());
  for (const auto& [squared, candidate] : heap_) result.push_back(candidate);
  return result;
}

}  // namespace vrp
