// Relocate: one to three customers that follow each other go elsewhere.
#pragma once

#include <cstdint>

#include "core/kernels/improve/improve_scratch.h"

namespace vrp {

// Variant 4 (s - 1) + 2 t + f: the s customers that begin with i come behind j (f = 0) or before
// it, in their order (t = 0) or turned round.
struct RelocateMove {
  static constexpr int32_t kVariants = 12;

  // From i to `last`, to stand between `ahead` and `behind`.
  struct Chain {
    int32_t last, ahead, behind, load;
    bool turned, sound;
  };
  static VRP_DEVICE Chain ChainOf(const ImproveTask& task, const LinkedPlan& plan, int32_t i,
                                  int32_t j, int32_t variant) {
    const int32_t length = variant / 4 + 1;
    Chain chain = {.last = i,
                   .ahead = j,
                   .behind = j,
                   .load = task.demands[i],
                   .turned = (variant & 2) != 0,
                   .sound = !(length == 1 && (variant & 2) != 0)};
    for (int32_t more = 1; more < length && chain.sound; ++more) {
      chain.last = plan.next[chain.last];
      chain.sound = task.IsCustomer(chain.last) && chain.last != j;
      chain.load += task.demands[task.NodeOf(chain.last)];
    }
    ((variant & 1) == 0 ? chain.behind : chain.ahead) =
        (variant & 1) == 0 ? plan.next[j] : plan.before[j];
    // Where it is already.
    if (chain.ahead == chain.last || chain.behind == i) chain.sound = false;
    return chain;
  }

  static VRP_DEVICE int32_t Delta(const ImproveTask& task, const ImproveScratch& scratch, int32_t i,
                                  int32_t j, int32_t variant) {
    const LinkedPlan& plan = scratch.trial;
    const Chain chain = ChainOf(task, plan, i, j, variant);
    if (!chain.sound) return kNoMove;
    const int32_t to = plan.route[j];
    if (to != plan.route[i] && plan.loads[to] + chain.load > task.capacity) return kNoMove;
    const int32_t previous = plan.before[i];
    const int32_t first = chain.turned ? chain.last : i;
    const int32_t last = chain.turned ? i : chain.last;
    return task.Distance(previous, plan.next[chain.last]) - plan.legs[previous] -
           plan.legs[chain.last] + task.Distance(chain.ahead, first) +
           task.Distance(last, chain.behind) - plan.legs[chain.ahead];
  }

  static VRP_DEVICE void Apply(const ImproveTask& task, const ImproveScratch& scratch, int32_t i,
                               int32_t j, int32_t variant) {
    const LinkedPlan& plan = scratch.trial;
    const Chain chain = ChainOf(task, plan, i, j, variant);
    Link(task, plan, plan.before[i], plan.next[chain.last]);
    if (chain.turned) TurnRound(task, plan, i, chain.last);
    Link(task, plan, chain.ahead, chain.turned ? chain.last : i);
    Link(task, plan, chain.turned ? i : chain.last, chain.behind);
  }
};

}  // namespace vrp
