#include "core/search/model/point_tree.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/search/model/ranking.h"

namespace vrp {

PointTree::PointTree(std::span<const Position> positions, NodeIndex first) : positions_(positions) {
  nodes_.resize(positions.size() - first);
  std::iota(nodes_.begin(), nodes_.end(), first);
  split_by_x_.resize(nodes_.size());
  Split(0, static_cast<int32_t>(nodes_.size()));
  for (const NodeIndex node : nodes_) {
    x_.push_back(positions[node].x);
    y_.push_back(positions[node].y);
  }
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
  std::array<double, kLeaf> squared;
  const int32_t count = end - begin;
  for (int32_t i = 0; i < count; ++i) {
    const double dx = x_[begin + i] - target_.x;
    const double dy = y_[begin + i] - target_.y;
    squared[i] = dx * dx + dy * dy;
  }
  // Without a branch: whether a point is near is hard to predict.
  for (int32_t i = 0; i < count; ++i) {
    const NodeIndex node = nodes_[begin + i];
    found_[num_found_] = RankKey(squared[i], node);
    num_found_ += static_cast<int>(squared[i] < reach_) & static_cast<int>(node != self_);
  }
  // Selecting once for `wanted_` candidates costs less than a heap that each has to pass.
  if (num_found_ < 2 * int64_t{wanted_}) return;
  std::nth_element(found_.begin(), found_.begin() + wanted_ - 1, found_.begin() + num_found_);
  num_found_ = wanted_;
  reach_ = RankedValue(found_[wanted_ - 1]);
}

void PointTree::Visit(int32_t begin, int32_t end) {
  if (end - begin <= kLeaf) return Offer(begin, end);
  const int32_t middle = begin + (end - begin) / 2;
  const double offset = split_by_x_[middle] ? target_.x - x_[middle] : target_.y - y_[middle];
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

// As many nodes as the last call found are as near to `to` as its farthest plus the way between
// both targets. Queries in the order of a curve are near each other.
float PointTree::ReachFromLast(Position to) const {
  constexpr double kRounding = 1 + 1e-5;  // of squares as floats
  const double dx = to.x - target_.x;
  const double dy = to.y - target_.y;
  const double radius = std::sqrt(RankedValue(found_.back())) + std::sqrt(dx * dx + dy * dy);
  return static_cast<float>(radius * radius * kRounding);
}

std::span<const NodeIndex> PointTree::Nearest(NodeIndex node, int32_t count) {
  const auto visit_all = [&](float reach) {
    reach_ = reach;
    num_found_ = 0;
    if (wanted_ > 0) Visit(0, static_cast<int32_t>(nodes_.size()));
  };
  const bool like_last = count > 0 && count == wanted_ && std::ssize(found_) == count;
  const float reach =
      like_last ? ReachFromLast(positions_[node]) : std::numeric_limits<float>::infinity();
  self_ = node;
  target_ = positions_[node];
  wanted_ = std::max(count, 0);
  found_.resize(2 * int64_t{wanted_} + kLeaf + 1);
  visit_all(reach);
  // Where nodes coincide, or one of those found is `node`, fewer may be within the reach.
  if (like_last && num_found_ < wanted_) visit_all(std::numeric_limits<float>::infinity());
  found_.resize(num_found_);
  SortLeast(found_, wanted_);
  found_.resize(std::min<int64_t>(num_found_, wanted_));
  result_.resize(found_.size());
  std::transform(found_.begin(), found_.end(), result_.begin(), RankedNode);
  return result_;
}

}  // namespace vrp
