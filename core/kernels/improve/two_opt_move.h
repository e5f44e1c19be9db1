// 2-opt: reverses a segment of a route.
#pragma once

#include <cstdint>

#include "core/kernels/improve/improve_scratch.h"

namespace vrp {

// Moves that link i with j. They also link both successors (variant 0) or both predecessors
// (variant 1) with each other.
struct TwoOptMove {
  static constexpr int32_t kVariants = 2;  // number of moves per pair of customers

  // The customers that a move reverses, from `first` to `last`.
  struct Segment {
    int32_t first, last;
  };
  static VRP_DEVICE Segment SegmentOf(const ImproveScratch& scratch, int32_t i, int32_t j,
                                      int32_t variant) {
    const int32_t front = scratch.rank[i] < scratch.rank[j] ? i : j;
    const int32_t back = front == i ? j : i;
    if (variant == 0) return {scratch.trial.next[front], back};
    return {front, scratch.trial.before[back]};
  }

  static VRP_DEVICE int32_t Delta(const ImproveTask& task, const ImproveScratch& scratch, int32_t i,
                                  int32_t j, int32_t variant) {
    const LinkedPlan& plan = scratch.trial;
    if (plan.route[i] != plan.route[j]) return kNoMove;
    const Segment segment = SegmentOf(scratch, i, j, variant);
    const int32_t previous = plan.before[segment.first];
    return task.Distance(previous, segment.last) +
           task.Distance(segment.first, plan.next[segment.last]) - plan.legs[previous] -
           plan.legs[segment.last];
  }

  static VRP_DEVICE void Apply(const ImproveTask& task, const ImproveScratch& scratch, int32_t i,
                               int32_t j, int32_t variant) {
    const LinkedPlan& plan = scratch.trial;
    const Segment segment = SegmentOf(scratch, i, j, variant);
    const int32_t previous = plan.before[segment.first];
    const int32_t next = plan.next[segment.last];
    Reverse(task, plan, segment.first, segment.last);
    Link(task, plan, previous, segment.last);
    Link(task, plan, segment.first, next);
  }
};

}  // namespace vrp
