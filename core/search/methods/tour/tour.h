// One closed tour as an array, with the changes that tour improvement needs.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/problem/instance/instance.h"

namespace vrp {

// An edge that a move removes. The move passes it from the node at `position` to the next one if
// `forward`, otherwise the other way.
struct RemovedEdge {
  int32_t position;
  bool forward;
};

// Not thread-safe. At least three nodes.
class Tour {
 public:
  static constexpr int32_t kMostRemoved = 3;

  explicit Tour(std::vector<NodeIndex> order) : order_(std::move(order)), position_(order_.size()) {
    for (int32_t i = 0; i < size(); ++i) position_[order_[i]] = i;
  }

  int32_t size() const { return static_cast<int32_t>(order_.size()); }
  const std::vector<NodeIndex>& order() const { return order_; }
  NodeIndex At(int32_t position) const { return order_[position]; }
  int32_t PositionOf(NodeIndex node) const { return position_[node]; }
  int32_t After(int32_t position) const { return position + 1 == size() ? 0 : position + 1; }
  int32_t Before(int32_t position) const { return (position == 0 ? size() : position) - 1; }

  // Removes `edges`, two to kMostRemoved of them, and joins the end of each to the begin of the
  // next one, of the last to that of the first. Returns false and changes nothing if that gives
  // several cycles. Rewrites all paths between the edges but the longest.
  bool Exchange(std::span<const RemovedEdge> edges);
  // Writes `nodes`, a permutation of those that it overwrites, from `position` on.
  void Overwrite(int32_t position, std::span<const NodeIndex> nodes);

  // Forgets or undoes all changes since the last call of either.
  void ForgetChanges();
  void UndoChanges();

 private:
  struct Change {
    int32_t position;
    int32_t length;
  };

  void Write(int32_t position, std::span<const NodeIndex> nodes);

  std::vector<NodeIndex> order_;
  std::vector<int32_t> position_;
  std::vector<Change> changes_;
  std::vector<NodeIndex> overwritten_;  // by the changes, one after the other
  std::vector<NodeIndex> moved_;        // by an exchange
};

}  // namespace vrp
