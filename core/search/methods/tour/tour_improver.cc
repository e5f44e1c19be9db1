#include "core/search/methods/tour/tour_improver.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

namespace vrp {
namespace {

constexpr int32_t kStepsTried = 8;  // at each level but the last

}  // namespace

TourImprover::TourImprover(const Problem& problem, Tour& tour)
    : problem_(problem), tour_(tour), queued_(problem.size(), 0) {
  for (NodeIndex node = 0; node < problem.size(); ++node) {
    for (const NodeIndex other : problem.Near(node)) {
      near_length_.push_back(problem.Distance(node, other));
    }
  }
}

void TourImprover::Push(NodeIndex node) {
  if (!std::exchange(queued_[node], 1)) queue_.push_back(node);
}

double TourImprover::Run(double added, const StopCondition& stop) {
  double gain = 0;
  // First in, first out: the queue is read from `head` on and emptied at the end.
  size_t head = 0;
  for (; head < queue_.size(); ++head) {
    if (head % 32 == 31 && stop.ShouldStop()) break;
    const NodeIndex node = queue_[head];
    queued_[node] = 0;
    const double before = gain;
    for (double more = Improve(node); more > 0; more = Improve(node)) gain += more;
    if (gain != before && std::abs(added - gain) <= problem_.epsilon()) break;
  }
  for (; head < queue_.size(); ++head) queued_[queue_[head]] = 0;
  queue_.clear();
  return -gain;
}

double TourImprover::Improve(NodeIndex node) {
  for (const bool forward : {true, false}) {
    steps_ = 1;
    move_[0] = MakeStep(0, node, forward);
    const double gain = Extend();
    if (gain > 0) return gain;
  }
  return 0;
}

double TourImprover::Extend() {
  // Sorting the last steps would take longer than trying them all.
  if (steps_ + 1 == Tour::kMostRemoved) {
    return ForEachStep([this](const Step& step) { return Close(step); });
  }
  Step best[kStepsTried];
  int32_t count = 0;
  ForEachStep([&](const Step& step) {
    const bool full = count == kStepsTried;
    if (full && best[count - 1].gain >= step.gain) return 0.0;
    int32_t at = full ? count - 1 : count++;
    for (; at > 0 && best[at - 1].gain < step.gain; --at) best[at] = best[at - 1];
    best[at] = step;
    return 0.0;
  });
  for (const Step& step : std::span(best, count)) {
    double gain = Close(step);
    if (gain == 0) {
      ++steps_;
      gain = Extend();
      --steps_;
    }
    if (gain > 0) return gain;
  }
  return 0;
}

double TourImprover::Close(const Step& step) {
  move_[steps_] = step;
  const double gain = step.gain - problem_.Distance(step.end, move_[0].node);
  if (gain <= problem_.epsilon()) return 0;
  const int32_t count = steps_ + 1;
  RemovedEdge removed[Tour::kMostRemoved];
  for (int32_t i = 0; i < count; ++i) removed[i] = move_[i].edge;
  if (!tour_.Exchange({removed, static_cast<size_t>(count)})) return 0;
  for (const Step& taken : std::span(move_).first(count)) {
    Push(taken.node);
    Push(taken.end);
  }
  return gain;
}

template <typename TryFn>
double TourImprover::ForEachStep(TryFn try_step) {
  const Step last = move_[steps_ - 1];
  const std::span<const NodeIndex> near = problem_.Near(last.end);
  const double* lengths = near_length_.data() + near.size() * last.end;
  const int32_t from = tour_.PositionOf(last.end);
  for (size_t k = 0; k < near.size(); ++k) {
    const double gain = last.gain - lengths[k];
    if (gain <= problem_.epsilon()) break;  // the gain criterion of Lin and Kernighan
    const int32_t to = tour_.PositionOf(near[k]);
    if (to == tour_.After(from) || to == tour_.Before(from)) continue;
    for (const bool forward : {true, false}) {
      const Step step = MakeStep(gain, near[k], forward);
      if (Removes(step.edge.position)) continue;
      const double made = try_step(step);
      if (made > 0) return made;
    }
  }
  return 0;
}

TourImprover::Step TourImprover::MakeStep(double gain, NodeIndex node, bool forward) const {
  const int32_t position = tour_.PositionOf(node);
  const NodeIndex end = tour_.At(forward ? tour_.After(position) : tour_.Before(position));
  return {.gain = gain + problem_.Distance(node, end),
          .edge = {.position = forward ? position : tour_.Before(position), .forward = forward},
          .node = node,
          .end = end};
}

bool TourImprover::Removes(int32_t position) const {
  return std::any_of(move_.begin(), move_.begin() + steps_,
                     [&](const Step& step) { return step.edge.position == position; });
}

}  // namespace vrp
