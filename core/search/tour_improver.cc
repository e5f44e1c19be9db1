#include "core/search/tour_improver.h"

#include <algorithm>
#include <utility>

namespace vrp {
namespace {

constexpr size_t kNeighboursTried = 10;
constexpr int32_t kLongestPath = 3;

std::span<const NodeIndex> Tried(std::span<const NodeIndex> near) {
  return near.first(std::min(near.size(), kNeighboursTried));
}

}  // namespace

TourImprover::TourImprover(const SearchProblem& problem, Tour& tour)
    : problem_(problem), tour_(tour), queued_(problem.size(), 0) {}

void TourImprover::Push(NodeIndex node) {
  if (queued_[node]) return;
  queued_[node] = 1;
  queue_.push_back(node);
}

double TourImprover::Run(const StopCondition& stop) {
  double change = 0;
  // First in, first out: the queue is read from `head` on and cut off when it is worked off.
  size_t head = 0;
  for (; head < queue_.size(); ++head) {
    if (head % 32 == 31 && stop.ShouldStop()) break;
    const NodeIndex node = queue_[head];
    queued_[node] = 0;
    change += Improve(node);
  }
  for (; head < queue_.size(); ++head) queued_[queue_[head]] = 0;
  queue_.clear();
  return change;
}

double TourImprover::Improve(NodeIndex node) {
  double total = 0;
  for (bool improved = true; improved;) {
    improved = false;
    for (const bool forward : {true, false}) {
      double change = TryTwoOpt(node, forward);
      if (change == 0) change = TryMove(node, forward);
      improved |= change < 0;
      total += change;
    }
  }
  return total;
}

// Replaces the edge from `node` to its next one (previous one) and another by two that join `node`
// and a near one.
double TourImprover::TryTwoOpt(NodeIndex node, bool forward) {
  const NodeIndex next = Step(node, forward);
  const double removed = Length(node, next);
  for (const NodeIndex other : Tried(problem_.Near(node))) {
    const double gain = removed - Length(node, other);
    if (gain <= problem_.epsilon()) break;
    const NodeIndex other_next = Step(other, forward);
    const double change = Length(next, other_next) - Length(other, other_next) - gain;
    if (change >= -problem_.epsilon()) continue;
    if (forward) {
      tour_.Reverse(next, other);
    } else {
      tour_.Reverse(other, next);
    }
    for (const NodeIndex end : {node, next, other, other_next}) Push(end);
    return change;
  }
  return 0;
}

// Moves a path that starts at `node` and runs forward (backward) so that `node` comes beside a near
// one.
double TourImprover::TryMove(NodeIndex node, bool forward) {
  const NodeIndex before = Step(node, !forward);
  NodeIndex end = node;
  NodeIndex path[kLongestPath];
  for (int32_t length = 1; length <= kLongestPath && length + 3 <= tour_.size(); ++length) {
    if (length > 1) end = Step(end, forward);
    path[length - 1] = end;
    const auto in_path = [&](NodeIndex x) {
      return std::find(path, path + length, x) != path + length;
    };
    const NodeIndex after = Step(end, forward);
    const double detour = Length(before, node) + Length(end, after) - Length(before, after);
    for (const NodeIndex beside : Tried(problem_.Near(node))) {
      const double gain = detour - Length(node, beside);
      if (gain <= problem_.epsilon()) break;
      if (in_path(beside)) continue;
      for (const NodeIndex other : {tour_.Next(beside), tour_.Previous(beside)}) {
        if (in_path(other)) continue;
        const double change = Length(end, other) - Length(beside, other) - gain;
        if (change >= -problem_.epsilon()) continue;
        MovePath(node, end, beside, other);
        for (const NodeIndex cut : {before, after, node, end, beside, other}) Push(cut);
        return change;
      }
    }
  }
  return 0;
}

void TourImprover::ReverseAfter(NodeIndex before, NodeIndex first, NodeIndex last) {
  if (tour_.Next(before) == first) {
    tour_.Reverse(first, last);
  } else {
    tour_.Reverse(last, first);
  }
}

// Puts the path node .. end between `beside` (next to node) and `other`, which are neighbours
// outside of it.
void TourImprover::MovePath(NodeIndex node, NodeIndex end, NodeIndex beside, NodeIndex other) {
  // In the array's direction: anchor, head .. tail (the path), bridge_head .. bridge_tail, then the
  // rest.
  const bool along = tour_.Next(beside) == other;
  NodeIndex head = node;
  NodeIndex tail = end;
  const int32_t steps = tour_.PositionOf(end) - tour_.PositionOf(node);
  if ((steps < 0 ? steps + tour_.size() : steps) >= kLongestPath)
    std::swap(head, tail);  // it runs backward
  const NodeIndex anchor = tour_.Previous(head);
  const NodeIndex bridge_head = tour_.Next(tail);
  const NodeIndex bridge_tail = along ? beside : other;
  const NodeIndex first_placed = along ? node : end;  // right after bridge_tail
  ReverseAfter(anchor, head, bridge_tail);  // anchor, bridge_tail .. bridge_head, tail .. head
  ReverseAfter(anchor, bridge_tail,
               bridge_head);  // anchor, bridge_head .. bridge_tail, tail .. head
  if (first_placed != tail) ReverseAfter(bridge_tail, tail, head);
}

double TourImprover::SwapPaths(NodeIndex before, NodeIndex first_end, NodeIndex second_end) {
  const NodeIndex first = tour_.Next(before);
  const NodeIndex second = tour_.Next(first_end);
  const NodeIndex after = tour_.Next(second_end);
  ReverseAfter(before, first,
               second_end);  // before, second_end .. second, first_end .. first, after
  ReverseAfter(before, second_end,
               second);  // before, second .. second_end, first_end .. first, after
  ReverseAfter(second_end, first_end,
               first);  // before, second .. second_end, first .. first_end, after
  for (const NodeIndex cut : {before, first, first_end, second, second_end, after}) Push(cut);
  return Length(before, second) + Length(second_end, first) + Length(first_end, after) -
         Length(before, first) - Length(first_end, second) - Length(second_end, after);
}

}  // namespace vrp
