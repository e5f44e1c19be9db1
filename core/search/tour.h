// One closed tour as an array, with the two moves that tour improvement needs.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/problem/instance/instance.h"

namespace vrp {

// Not thread-safe. A reversal costs at most half the tour's length, whichever way it is asked for.
class Tour {
 public:
  explicit Tour(std::vector<NodeIndex> order) : order_(std::move(order)), position_(order_.size()) {
    for (int32_t i = 0; i < size(); ++i) position_[order_[i]] = i;
  }

  int32_t size() const { return static_cast<int32_t>(order_.size()); }
  const std::vector<NodeIndex>& order() const { return order_; }
  NodeIndex At(int32_t position) const { return order_[position]; }
  int32_t PositionOf(NodeIndex node) const { return position_[node]; }
  NodeIndex Next(NodeIndex node) const {
    const int32_t i = position_[node] + 1;
    return order_[i == size() ? 0 : i];
  }
  NodeIndex Previous(NodeIndex node) const {
    const int32_t i = position_[node];
    return order_[i == 0 ? size() - 1 : i - 1];
  }
  // Turns the path from `first` on to `last` (or, which is the same tour, the rest of it).
  void Reverse(NodeIndex first, NodeIndex last);

  // Reversals since the last ForgetChanges, undone in one go.
  void ForgetChanges() { journal_.clear(); }
  void UndoChanges();

 private:
  void ReversePositions(int32_t i, int32_t j);

  std::vector<NodeIndex> order_;
  std::vector<int32_t> position_;
  std::vector<std::pair<int32_t, int32_t>> journal_;  // positions
};

}  // namespace vrp
