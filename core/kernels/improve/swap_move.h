// Swap: exchanges one or two consecutive customers with one or two others.
#pragma once

#include <cstdint>

#include "core/kernels/improve/improve_scratch.h"

namespace vrp {

// Exchanges of 1 + variant % 2 customers from i on with 1 + variant / 2 customers behind j.
struct SwapMove {
  static constexpr int32_t kVariants = 4;  // number of moves per pair of customers

  // One or two consecutive customers.
  struct Chain {
    int32_t first, last, load;
    bool feasible;  // whether its points and `other` are distinct customers
  };
  static VRP_DEVICE Chain ChainOf(const ImproveTask& task, const LinkedPlan& plan, int32_t first,
                                  int32_t length, int32_t other) {
    const int32_t last = length == 1 ? first : plan.next[first];
    const bool feasible = task.IsCustomer(first) && task.IsCustomer(last) && first != other &&
                          last != other && task.IsCustomer(other);
    const int32_t second = length == 1 ? 0 : task.demands[task.NodeOf(last)];
    return {first, last, task.demands[task.NodeOf(first)] + second, feasible};
  }

  static VRP_DEVICE int32_t Delta(const ImproveTask& task, const ImproveScratch& scratch, int32_t i,
                                  int32_t j, int32_t variant) {
    const LinkedPlan& plan = scratch.trial;
    const int32_t other = plan.next[j];
    const Chain chain = ChainOf(task, plan, i, 1 + variant % 2, other);
    const Chain other_chain = ChainOf(task, plan, other, 1 + variant / 2, i);
    if (!chain.feasible || !other_chain.feasible) return kNoMove;
    // RelocateMove covers exchanges of adjacent chains.
    if (plan.next[chain.last] == other || plan.next[other_chain.last] == i) return kNoMove;
    const int32_t added_load = other_chain.load - chain.load;
    if (plan.route[i] != plan.route[j] &&
        (plan.loads[plan.route[i]] + added_load > task.capacity ||
         plan.loads[plan.route[j]] - added_load > task.capacity)) {
      return kNoMove;
    }
    const int32_t previous = plan.before[i];
    return task.Distance(previous, other) + task.Distance(other_chain.last, plan.next[chain.last]) +
           task.Distance(j, i) + task.Distance(chain.last, plan.next[other_chain.last]) -
           plan.legs[previous] - plan.legs[chain.last] - plan.legs[j] - plan.legs[other_chain.last];
  }

  static VRP_DEVICE void Apply(const ImproveTask& task, const ImproveScratch& scratch, int32_t i,
                               int32_t j, int32_t variant) {
    const LinkedPlan& plan = scratch.trial;
    const int32_t other = plan.next[j];
    const int32_t last = ChainOf(task, plan, i, 1 + variant % 2, other).last;
    const int32_t other_last = ChainOf(task, plan, other, 1 + variant / 2, i).last;
    const int32_t previous = plan.before[i];
    const int32_t following = plan.next[last];
    const int32_t other_following = plan.next[other_last];
    Link(task, plan, previous, other);
    Link(task, plan, other_last, following);
    Link(task, plan, j, i);
    Link(task, plan, last, other_following);
  }
};

}  // namespace vrp
