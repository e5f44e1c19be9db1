// Relocate: moves one to three consecutive customers elsewhere.
#pragma once

#include <cstdint>

#include "core/kernels/improve/improve_scratch.h"

namespace vrp {

// Moves of s consecutive customers, of which i is the first, behind j (f = 0) or before j (f = 1).
// The customers keep their order (t = 0) or are reversed (t = 1).
// The variant is 4 (s - 1) + 2 t + f.
struct RelocateMove {
  static constexpr int32_t kVariants = 12;  // number of moves per pair of customers

  // Customers from i to `last`, which the move links between `previous` and `next`.
  struct Chain {
    int32_t last, previous, next, load;
    bool reversed,
        feasible;  // whether the move reverses the chain, and whether the move is possible
  };
  static VRP_DEVICE Chain ChainOf(const ImproveTask& task, const LinkedPlan& plan, int32_t i,
                                  int32_t j, int32_t variant) {
    const int32_t length = variant / 4 + 1;
    Chain chain = {.last = i,
                   .previous = j,
                   .next = j,
                   .load = task.demands[i],
                   .reversed = (variant & 2) != 0,
                   .feasible = !(length == 1 && (variant & 2) != 0)};
    for (int32_t more = 1; more < length && chain.feasible; ++more) {
      chain.last = plan.next[chain.last];
      chain.feasible = task.IsCustomer(chain.last) && chain.last != j;
      chain.load += task.demands[task.NodeOf(chain.last)];
    }
    ((variant & 1) == 0 ? chain.next : chain.previous) =
        (variant & 1) == 0 ? plan.next[j] : plan.before[j];
    // The chain is at this position already.
    if (chain.previous == chain.last || chain.next == i) chain.feasible = false;
    return chain;
  }

  static VRP_DEVICE int32_t Delta(const ImproveTask& task, const ImproveScratch& scratch, int32_t i,
                                  int32_t j, int32_t variant) {
    const LinkedPlan& plan = scratch.trial;
    const Chain chain = ChainOf(task, plan, i, j, variant);
    if (!chain.feasible) return kNoMove;
    const int32_t to = plan.route[j];
    if (to != plan.route[i] && plan.loads[to] + chain.load > task.capacity) return kNoMove;
    const int32_t previous = plan.before[i];
    const int32_t first = chain.reversed ? chain.last : i;
    const int32_t last = chain.reversed ? i : chain.last;
    return task.Distance(previous, plan.next[chain.last]) - plan.legs[previous] -
           plan.legs[chain.last] + task.Distance(chain.previous, first) +
           task.Distance(last, chain.next) - plan.legs[chain.previous];
  }

  static VRP_DEVICE void Apply(const ImproveTask& task, const ImproveScratch& scratch, int32_t i,
                               int32_t j, int32_t variant) {
    const LinkedPlan& plan = scratch.trial;
    const Chain chain = ChainOf(task, plan, i, j, variant);
    Link(task, plan, plan.before[i], plan.next[chain.last]);
    if (chain.reversed) Reverse(task, plan, i, chain.last);
    Link(task, plan, chain.previous, chain.reversed ? chain.last : i);
    Link(task, plan, chain.reversed ? i : chain.last, chain.next);
  }
};

}  // namespace vrp
