// 2-opt: reverses a part of a route.
#pragma once

#include <cstdint>

#include "core/kernels/improve/improve_scratch.h"

namespace vrp {

// Moves that link i with j. They also link both successors (variant 0) or both predecessors
// (variant 1) with each other.
struct TwoOptMove {
  static constexpr int32_t kVariants = 2;

  struct Part {
    int32_t first, last;
  };
  static VRP_DEVICE Part PartOf(const ImproveScratch& scratch, int32_t i, int32_t j,
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
    const Part part = PartOf(scratch, i, j, variant);
    const int32_t previous = plan.before[part.first];
    return task.Distance(previous, part.last) + task.Distance(part.first, plan.next[part.last]) -
           plan.legs[previous] - plan.legs[part.last];
  }

  static VRP_DEVICE void Apply(const ImproveTask& task, const ImproveScratch& scratch, int32_t i,
                               int32_t j, int32_t variant) {
    const LinkedPlan& plan = scratch.trial;
    const Part part = PartOf(scratch, i, j, variant);
    const int32_t previous = plan.before[part.first];
    const int32_t next = plan.next[part.last];
    Reverse(task, plan, part.first, part.last);
    Link(task, plan, previous, part.last);
    Link(task, plan, part.first, next);
  }
};

}  // namespace vrp
