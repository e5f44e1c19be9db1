// The memory of the threads that improve one plan, cut out of one piece.
#pragma once

#include <cstdint>

#include "core/kernels/improve/linked_plan.h"

namespace vrp {

// Customers that a ruin takes out at most.
inline constexpr int32_t kMostRemoved = 64;

// What one thread decides for all.
struct ImproveState {
  int32_t removed = 0;  // customers
  int32_t delta = 0;    // of the trial's cost, since it was copied
  uint32_t word = 0;    // random, of the round
  int32_t best = 0;     // the best plan's cost
  bool accepted = false;
  bool improved = false;
};

struct ImproveScratch {
  ImproveState* state = nullptr;
  LinkedPlan trial;             // what is changed
  LinkedPlan current;           // what annealing goes on from
  int32_t* through = nullptr;   // [P]: load of the route until here, this point included
  int32_t* keys = nullptr;      // [kMostRemoved]
  uint16_t* rank = nullptr;     // [P]: the point's state in its route, which is 0 for the depot
  uint16_t* removed = nullptr;  // [kMostRemoved]
  uint16_t* sorted = nullptr;   // [kMostRemoved]
};

// Bytes of a scratch; a multiple of 16.
constexpr int64_t ImproveScratchBytes(int32_t nodes, int32_t routes) {
  const int64_t points = int64_t{nodes} + routes;
  const int64_t bytes = 2 * PlanBytes(nodes, routes) + static_cast<int64_t>(sizeof(ImproveState)) +
                        points * (4 + 2) + kMostRemoved * (4 + 2 + 2);
  return (bytes + 15) / 16 * 16;
}

// As CutPlan.
VRP_DEVICE inline ImproveScratch CutImproveScratch(int32_t nodes, int32_t routes, uint8_t* base) {
  const int32_t points = nodes + routes;
  const int64_t plan = PlanBytes(nodes, routes);
  auto* const state = reinterpret_cast<ImproveState*>(base + 2 * plan);
  auto* const through = reinterpret_cast<int32_t*>(state + 1);
  auto* const rank = reinterpret_cast<uint16_t*>(through + points + kMostRemoved);
  return {.state = state,
          .trial = CutPlan(nodes, routes, base),
          .current = CutPlan(nodes, routes, base + plan),
          .through = through,
          .keys = through + points,
          .rank = rank,
          .removed = rank + points,
          .sorted = rank + points + kMostRemoved};
}

// Goes through the trial's rings: routes, loads, counts, ranks and through.
template <typename Lanes>
VRP_DEVICE void Survey(const Lanes& lanes, const ImproveTask& task, const ImproveScratch& scratch) {
  const LinkedPlan& plan = scratch.trial;
  lanes.Each(task.routes, [&](int32_t r) {
    const int32_t depot = task.nodes + r;
    int32_t load = 0;
    int32_t rank = 0;
    scratch.rank[depot] = 0;
    scratch.through[depot] = 0;
    plan.route[depot] = static_cast<uint16_t>(r);
    for (int32_t at = plan.next[depot]; at != depot; at = plan.next[at]) {
      load += task.demands[at];
      scratch.rank[at] = static_cast<uint16_t>(++rank);
      scratch.through[at] = load;
      plan.route[at] = static_cast<uint16_t>(r);
    }
    plan.loads[r] = load;
    plan.counts[r] = static_cast<uint16_t>(rank);
  });
}

}  // namespace vrp
