// Puts removed customers back, each where it costs least, but for a few places overlooked by chance
// (SISR's blinks; see ruin.h).
#pragma once

#include <cstdint>

#include "core/kernels/improve/improve_random.h"
#include "core/kernels/improve/improve_scratch.h"

namespace vrp {

// What comes back first: ten words of which a round draws one.
enum class ReturnOrder : int32_t { kRandom, kLargest, kFarthest, kNearest };

constexpr VRP_DEVICE ReturnOrder ReturnOrderOf(uint32_t word) {
  const uint32_t draw = word % 11;
  if (draw < 4) return ReturnOrder::kRandom;
  if (draw < 8) return ReturnOrder::kLargest;
  return draw < 10 ? ReturnOrder::kFarthest : ReturnOrder::kNearest;
}

VRP_DEVICE inline int32_t ReturnKey(const ImproveTask& task, int32_t customer, ReturnOrder order,
                                    uint32_t word) {
  switch (order) {
    case ReturnOrder::kRandom:
      return static_cast<int32_t>(MixedWord(word, static_cast<uint32_t>(customer)) >> 1);
    case ReturnOrder::kLargest:
      return -task.demands[customer];
    case ReturnOrder::kFarthest:
      return -task.Distance(0, customer);
    case ReturnOrder::kNearest:
      break;
  }
  return task.Distance(0, customer);
}

// Fills scratch.sorted: by key, of equal ones as they were removed.
template <typename Lanes>
VRP_DEVICE void SortRemoved(const Lanes& lanes, const ImproveTask& task,
                            const ImproveScratch& scratch) {
  const int32_t count = scratch.state->removed;
  const uint32_t word = scratch.state->word;
  const ReturnOrder order = ReturnOrderOf(word >> 8);
  lanes.Each(count, [&](int32_t i) {
    scratch.keys[i] = ReturnKey(task, scratch.removed[i], order, word);
  });
  lanes.Each(count, [&](int32_t i) {
    int32_t rank = 0;
    for (int32_t j = 0; j < count; ++j) {
      const bool before =
          scratch.keys[j] < scratch.keys[i] || (scratch.keys[j] == scratch.keys[i] && j < i);
      rank += before ? 1 : 0;
    }
    scratch.sorted[rank] = scratch.removed[i];
  });
}

// Whether all customers have a place; where one has none, the trial is to be thrown away.
template <typename Lanes>
VRP_DEVICE bool Recreate(const Lanes& lanes, const ImproveTask& task,
                         const ImproveScratch& scratch) {
  constexpr uint32_t kBlinks = 127;  // one of so many and one places
  const LinkedPlan& plan = scratch.trial;
  SortRemoved(lanes, task, scratch);
  const int32_t count = scratch.state->removed;
  for (int32_t i = 0; i < count; ++i) {
    const int32_t customer = scratch.sorted[i];
    const int32_t* const row = task.distances + customer * task.nodes;
    const int32_t space = task.capacity - task.demands[customer];
    const uint32_t word = scratch.state->word + static_cast<uint32_t>(customer) * 0x85EBCA6Bu;
    const auto best = lanes.Least(task.points() - 1, [&](int32_t number) {
      const int32_t point = number + 1;
      const int32_t route = plan.route[point];
      if (route == kInNoRoute || plan.loads[route] > space) return kNoMove;
      const bool blinks = (MixedWord(word, static_cast<uint32_t>(point)) & kBlinks) == 0;
      if (blinks && task.IsCustomer(point)) return kNoMove;
      return row[task.NodeOf(point)] + row[task.NodeOf(plan.next[point])] - plan.legs[point];
    });
    if (best.value == kNoMove) return false;
    lanes.Once([&] {
      Insert(task, plan, best.index + 1, customer);
      scratch.state->delta += best.value;
    });
  }
  return true;
}

}  // namespace vrp
