// Scratch of the threads that improve one plan, cut from one piece of memory.
#pragma once

#include <cstdint>

#include "core/kernels/improve/linked_plan.h"

namespace vrp {

// Maximum number of customers that a ruin removes.
inline constexpr int32_t kMaxRemoved = 64;

// State that one thread writes and all threads read.
struct ImproveState {
  int32_t removed = 0;    // number of removed customers
  int32_t delta = 0;      // of the trial's cost since it was copied
  uint32_t word = 0;      // random word of the round
  int32_t best = 0;       // cost of the best plan
  bool accepted = false;  // whether annealing accepted the round's trial
  bool improved = false;  // whether the trial became the best plan
};

// The arrays of the scratch, for P points.
struct ImproveScratch {
  ImproveState* state = nullptr;
  LinkedPlan trial;                 // the plan that moves change
  LinkedPlan current;               // the plan from which annealing continues
  int32_t* prefix_loads = nullptr;  // [P]: load of the route up to and including the point
  int32_t* keys = nullptr;          // [kMaxRemoved]: sort keys of `removed`
  uint16_t* rank = nullptr;         // [P]: the point's position in its route, 0 for the depot
  uint16_t* removed = nullptr;      // [kMaxRemoved]: customers in the order of removal
  uint16_t* sorted = nullptr;       // [kMaxRemoved]: the same, in the order of reinsertion
};

// Returns the size of the scratch, a multiple of 16.
constexpr int64_t ImproveScratchBytes(int32_t nodes, int32_t routes) {
  const int64_t points = int64_t{nodes} + routes;
  const int64_t bytes = 2 * PlanBytes(nodes, routes) + static_cast<int64_t>(sizeof(ImproveState)) +
                        points * (4 + 2) + int64_t{kMaxRemoved} * (4 + 2 + 2);
  return (bytes + 15) / 16 * 16;
}

// Returns the arrays at `base`; see PlanAt.
VRP_DEVICE inline ImproveScratch ImproveScratchAt(int32_t nodes, int32_t routes, uint8_t* base) {
  const int32_t points = nodes + routes;
  const int64_t plan = PlanBytes(nodes, routes);
  auto* const state = reinterpret_cast<ImproveState*>(base + 2 * plan);
  auto* const prefix_loads = reinterpret_cast<int32_t*>(state + 1);
  auto* const rank = reinterpret_cast<uint16_t*>(prefix_loads + points + kMaxRemoved);
  return {.state = state,
          .trial = PlanAt(nodes, routes, base),
          .current = PlanAt(nodes, routes, base + plan),
          .prefix_loads = prefix_loads,
          .keys = prefix_loads + points,
          .rank = rank,
          .removed = rank + points,
          .sorted = rank + points + kMaxRemoved};
}

// Recomputes routes, loads, counts, ranks and prefix loads by following the trial's routes.
template <typename Lanes>
VRP_DEVICE void IndexRoutes(const Lanes& lanes, const ImproveTask& task,
                            const ImproveScratch& scratch) {
  const LinkedPlan& plan = scratch.trial;
  lanes.Each(task.routes, [&](int32_t r) {
    const int32_t depot = task.nodes + r;
    int32_t load = 0;
    int32_t rank = 0;
    scratch.rank[depot] = 0;
    scratch.prefix_loads[depot] = 0;
    plan.route[depot] = static_cast<uint16_t>(r);
    for (int32_t at = plan.next[depot]; at != depot; at = plan.next[at]) {
      load += task.demands[at];
      scratch.rank[at] = static_cast<uint16_t>(++rank);
      scratch.prefix_loads[at] = load;
      plan.route[at] = static_cast<uint16_t>(r);
    }
    plan.loads[r] = load;
    plan.counts[r] = static_cast<uint16_t>(rank);
  });
}

}  // namespace vrp
