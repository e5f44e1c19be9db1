// 2-opt*: cuts two routes and joins their parts differently.
#pragma once

#include <cstdint>

#include "core/kernels/improve/improve_scratch.h"

namespace vrp {

// Moves that cut one route behind point a and the other behind point b. Variant 0 (a = i, b before
// j) swaps the tails. Variants 1 (a = i, b = j) and 2 (a before i, b before j) join the two heads
// and the two tails. They reverse the second head and the first tail.
struct TwoOptStarMove {
  static constexpr int32_t kVariants = 3;  // number of moves per pair of customers

  static VRP_DEVICE int32_t CutOf(const LinkedPlan& plan, int32_t customer, bool ahead) {
    return ahead ? plan.before[customer] : customer;
  }

  static VRP_DEVICE int32_t Delta(const ImproveTask& task, const ImproveScratch& scratch, int32_t i,
                                  int32_t j, int32_t variant) {
    const LinkedPlan& plan = scratch.trial;
    if (plan.route[i] == plan.route[j]) return kNoMove;
    const int32_t a = CutOf(plan, i, variant == 2);
    const int32_t b = CutOf(plan, j, variant != 1);
    const int32_t total_load = plan.loads[plan.route[i]] + plan.loads[plan.route[j]];
    const int32_t load =
        variant == 0 ? scratch.prefix_loads[a] + plan.loads[plan.route[j]] - scratch.prefix_loads[b]
                     : scratch.prefix_loads[a] + scratch.prefix_loads[b];
    if (load > task.capacity || total_load - load > task.capacity) return kNoMove;
    const int32_t legs = plan.legs[a] + plan.legs[b];
    const int32_t after_a = plan.next[a];
    const int32_t after_b = plan.next[b];
    if (variant == 0) return task.Distance(a, after_b) + task.Distance(b, after_a) - legs;
    return task.Distance(a, b) + task.Distance(after_a, after_b) - legs;
  }

  static VRP_DEVICE void Apply(const ImproveTask& task, const ImproveScratch& scratch, int32_t i,
                               int32_t j, int32_t variant) {
    const LinkedPlan& plan = scratch.trial;
    const int32_t a = CutOf(plan, i, variant == 2);
    const int32_t b = CutOf(plan, j, variant != 1);
    const int32_t depot_a = task.nodes + plan.route[i];
    const int32_t depot_b = task.nodes + plan.route[j];
    if (variant == 0) {
      SwapTails(task, plan, {a, depot_a}, {b, depot_b});
    } else {
      JoinHeads(task, plan, {a, depot_a}, {b, depot_b});
    }
  }

 private:
  // A cut behind the point `at` of the route from `depot`.
  struct Cut {
    int32_t at, depot;
  };

  static VRP_DEVICE void SwapTails(const ImproveTask& task, const LinkedPlan& plan, Cut a, Cut b) {
    const int32_t after_a = plan.next[a.at];
    const int32_t after_b = plan.next[b.at];
    const int32_t last_a = plan.before[a.depot];
    const int32_t last_b = plan.before[b.depot];
    Link(task, plan, a.at, after_b == b.depot ? a.depot : after_b);
    Link(task, plan, b.at, after_a == a.depot ? b.depot : after_a);
    if (after_b != b.depot) Link(task, plan, last_b, a.depot);
    if (after_a != a.depot) Link(task, plan, last_a, b.depot);
  }

  static VRP_DEVICE void JoinHeads(const ImproveTask& task, const LinkedPlan& plan, Cut a, Cut b) {
    const int32_t after_a = plan.next[a.at];
    const int32_t after_b = plan.next[b.at];
    const int32_t first_b = plan.next[b.depot];
    const int32_t last_a = plan.before[a.depot];
    if (b.at == b.depot) {
      Link(task, plan, a.at, a.depot);
    } else {
      Reverse(task, plan, first_b, b.at);
      Link(task, plan, a.at, b.at);
      Link(task, plan, first_b, a.depot);
    }
    if (after_a == a.depot) {
      Link(task, plan, b.depot, after_b);
    } else {
      Reverse(task, plan, after_a, last_a);
      Link(task, plan, b.depot, last_a);
      Link(task, plan, after_a, after_b);
    }
  }
};

}  // namespace vrp
