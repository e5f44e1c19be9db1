#include "core/search/tour_improver.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

namespace vrp {
namespace {

constexpr int32_t kNeighboursTried = 10;
constexpr int32_t kStepsTried = 8;  // at each level

}  // namespace

TourImprover::TourImprover(const SearchProblem& problem, Tour& tour)
    : problem_(problem), tour_(tour), queued_(problem.size(), 0) {
  listed_ = std::min(static_cast<int32_t>(problem.Near(0).size()), kNeighboursTried);
  for (NodeIndex node = 0; node < problem.size(); ++node) {
    for (const NodeIndex other : problem.Near(node).first(listed_)) {
      near_.push_back(other);
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
  Step steps[kStepsTried];
  const int32_t count = ListSteps(steps);
  for (const Step& step : std::span(steps, count)) {
    const double gain = Take(step);
    if (gain > 0) return gain;
  }
  return 0;
}

double TourImprover::Take(const Step& step) {
  move_[steps_++] = step;
  const double gain = step.gain - problem_.Distance(step.end, move_[0].node);
  if (gain > problem_.epsilon()) {
    RemovedEdge removed[Tour::kMostRemoved];
    for (int32_t i = 0; i < steps_; ++i) removed[i] = move_[i].edge;
    if (tour_.Exchange({removed, static_cast<size_t>(steps_)})) {
      for (const Step& taken : std::span(move_).first(steps_)) {
        Push(taken.node);
        Push(taken.end);
      }
      return gain;
    }
  }
  const double later = steps_ < Tour::kMostRemoved ? Extend() : 0;
  --steps_;
  return later;
}

int32_t TourImprover::ListSteps(Step* steps) const {
  const Step& last = move_[steps_ - 1];
  const int64_t row = int64_t{last.end} * listed_;
  const int32_t from = tour_.PositionOf(last.end);
  int32_t count = 0;
  for (int64_t k = row; k < row + listed_; ++k) {
    const double gain = last.gain - near_length_[k];
    if (gain <= problem_.epsilon()) break;  // the gain criterion of Lin and Kernighan
    const int32_t to = tour_.PositionOf(near_[k]);
    if (to == tour_.After(from) || to == tour_.Before(from)) continue;
    for (const bool forward : {true, false}) {
      const Step step = MakeStep(gain, near_[k], forward);
      if (Removes(step.edge.position)) continue;
      const bool full = count == kStepsTried;
      if (full && steps[count - 1].gain >= step.gain) continue;
      int32_t at = full ? count - 1 : count++;
      for (; at > 0 && steps[at - 1].gain < step.gain; --at) steps[at] = steps[at - 1];
      steps[at] = step;
    }
  }
  return count;
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
