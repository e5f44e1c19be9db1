#include "core/search/methods/tour/tour.h"

#include <algorithm>
#include <array>

namespace vrp {
namespace {

constexpr int32_t kMostEnds = 2 * Tour::kMostRemoved;

// The paths that are left when edges are removed, in the tour's order. Path p ends at position
// last[p]; its first node is end 2 p, its last one end 2 p + 1.
struct Paths {
  int32_t count = 0;
  std::array<int32_t, Tour::kMostRemoved> last = {};
  std::array<int32_t, kMostEnds> joined = {};  // which end follows an end in the new tour
};

Paths Cut(std::span<const RemovedEdge> edges) {
  Paths paths;
  std::array<int32_t, Tour::kMostRemoved> order = {};  // edges by position
  for (const RemovedEdge& edge : edges) {
    int32_t at = paths.count++;
    for (; at > 0 && paths.last[at - 1] > edge.position; --at) {
      paths.last[at] = paths.last[at - 1];
      order[at] = order[at - 1];
    }
    paths.last[at] = edge.position;
    order[at] = paths.count - 1;
  }
  std::array<int32_t, kMostEnds> passed = {};  // two ends for each edge, as the move passes them
  for (int32_t p = 0; p < paths.count; ++p) {
    const int32_t last = 2 * p + 1;
    const int32_t first = p + 1 == paths.count ? 0 : last + 1;
    const bool forward = edges[order[p]].forward;
    passed[2 * order[p]] = forward ? last : first;
    passed[2 * order[p] + 1] = forward ? first : last;
  }
  for (int32_t e = 0; e < paths.count; ++e) {
    const int32_t from = passed[2 * e + 1];
    const int32_t to = passed[e + 1 == paths.count ? 0 : 2 * e + 2];
    paths.joined[from] = to;
    paths.joined[to] = from;
  }
  return paths;
}

bool IsOneTour(const Paths& paths) {
  int32_t seen = 0;
  int32_t end = 1;
  do {
    end = paths.joined[end] ^ 1;
    ++seen;
  } while (end > 1);
  return seen == paths.count;
}

}  // namespace

bool Tour::Exchange(std::span<const RemovedEdge> edges) {
  const Paths paths = Cut(edges);
  if (!IsOneTour(paths)) return false;
  const auto first = [&](int32_t p) { return After(paths.last[(p == 0 ? paths.count : p) - 1]); };
  const auto length = [&](int32_t p) {
    const int32_t nodes = paths.last[p] + 1 - first(p);
    return nodes <= 0 ? nodes + size() : nodes;
  };
  int32_t kept = 0;
  for (int32_t p = 1; p < paths.count; ++p) {
    if (length(p) > length(kept)) kept = p;
  }
  moved_.clear();
  for (int32_t end = paths.joined[2 * kept + 1]; end / 2 != kept; end = paths.joined[end ^ 1]) {
    const bool turned = end % 2 == 1;
    int32_t at = turned ? paths.last[end / 2] : first(end / 2);
    for (int32_t left = length(end / 2); left > 0; --left) {
      moved_.push_back(order_[at]);
      at = turned ? Before(at) : After(at);
    }
  }
  Overwrite(After(paths.last[kept]), moved_);
  return true;
}

void Tour::Overwrite(int32_t position, std::span<const NodeIndex> nodes) {
  const auto length = static_cast<int32_t>(nodes.size());
  changes_.push_back({position, length});
  const auto begin = order_.begin() + position;
  const int32_t to_end = std::min(length, size() - position);
  overwritten_.insert(overwritten_.end(), begin, begin + to_end);
  overwritten_.insert(overwritten_.end(), order_.begin(), order_.begin() + (length - to_end));
  Write(position, nodes);
}

void Tour::Write(int32_t position, std::span<const NodeIndex> nodes) {
  for (const NodeIndex node : nodes) {
    order_[position] = node;
    position_[node] = position;
    position = After(position);
  }
}

void Tour::ForgetChanges() {
  changes_.clear();
  overwritten_.clear();
}

void Tour::UndoChanges() {
  for (; !changes_.empty(); changes_.pop_back()) {
    const auto begin = overwritten_.end() - changes_.back().length;
    Write(changes_.back().position, {begin, overwritten_.end()});
    overwritten_.erase(begin, overwritten_.end());
  }
}

}  // namespace vrp
