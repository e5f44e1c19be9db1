#include "core/search/tour.h"

namespace vrp {

void Tour::Reverse(NodeIndex first, NodeIndex last) {
  int32_t i = position_[first];
  int32_t j = position_[last];
  int32_t inside = j - i + 1;
  if (inside <= 0) inside += size();
  if (2 * inside > size()) {
    std::swap(i, j);
    i = i + 1 == size() ? 0 : i + 1;
    j = j == 0 ? size() - 1 : j - 1;
  }
  journal_.emplace_back(i, j);
  ReversePositions(i, j);
}

void Tour::UndoChanges() {
  for (auto it = journal_.rbegin(); it != journal_.rend(); ++it) {  // the last first
    ReversePositions(it->first, it->second);
  }
  journal_.clear();
}

void Tour::ReversePositions(int32_t i, int32_t j) {
  int32_t length = j - i + 1;
  if (length <= 0) length += size();
  for (int32_t swaps = length / 2; swaps > 0; --swaps) {
    const NodeIndex a = order_[i];
    const NodeIndex b = order_[j];
    order_[i] = b;
    position_[b] = i;
    order_[j] = a;
    position_[a] = j;
    i = i + 1 == size() ? 0 : i + 1;
    j = j == 0 ? size() - 1 : j - 1;
  }
}

}  // namespace vrp
