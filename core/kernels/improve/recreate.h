// Reinsertion of removed customers at their cheapest positions. Skips some positions behind
// customers at random (SISR's blinks; see ruin.h).
#pragma once

#include <cstdint>

#include "core/kernels/improve/improve_random.h"
#include "core/kernels/improve/improve_scratch.h"

namespace vrp {

// Orders of reinsertion: random, by falling demand, or by distance from the depot. Each round draws
// one, with the weights 4, 4, 2 and 1.
enum class ReinsertionOrder : int32_t { kRandom, kLargest, kFarthest, kNearest };

// Returns the order that a random word selects.
constexpr VRP_DEVICE ReinsertionOrder DrawOrder(uint32_t word) {
  const uint32_t draw = word % 11;
  if (draw < 4) return ReinsertionOrder::kRandom;
  if (draw < 8) return ReinsertionOrder::kLargest;
  return draw < 10 ? ReinsertionOrder::kFarthest : ReinsertionOrder::kNearest;
}

// Returns the customer's sort key: customers with lower keys are inserted first.
VRP_DEVICE inline int32_t SortKey(const ImproveTask& task, int32_t customer, ReinsertionOrder order,
                                  uint32_t word) {
  switch (order) {
    case ReinsertionOrder::kRandom:
      return static_cast<int32_t>(MixedWord(word, static_cast<uint32_t>(customer)) >> 1);
    case ReinsertionOrder::kLargest:
      return -task.demands[customer];
    case ReinsertionOrder::kFarthest:
      return -task.Distance(0, customer);
    case ReinsertionOrder::kNearest:
      break;
  }
  return task.Distance(0, customer);
}

// Fills scratch.sorted with the removed customers, sorted by key. Equal keys keep the order of
// removal.
template <typename Lanes>
VRP_DEVICE void SortRemoved(const Lanes& lanes, const ImproveTask& task,
                            const ImproveScratch& scratch) {
  const int32_t count = scratch.state->removed;
  const uint32_t word = scratch.state->word;
  const ReinsertionOrder order = DrawOrder(word >> 8);
  lanes.Each(count,
             [&](int32_t i) { scratch.keys[i] = SortKey(task, scratch.removed[i], order, word); });
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

// Inserts all removed customers. Returns whether each one found a position. If not, the caller must
// discard the trial.
template <typename Lanes>
VRP_DEVICE bool Recreate(const Lanes& lanes, const ImproveTask& task,
                         const ImproveScratch& scratch) {
  constexpr uint32_t kBlinkMask = 127;  // skips one in kBlinkMask + 1 positions
  const LinkedPlan& plan = scratch.trial;
  SortRemoved(lanes, task, scratch);
  const int32_t count = scratch.state->removed;
  for (int32_t i = 0; i < count; ++i) {
    const int32_t customer = scratch.sorted[i];
    const int32_t* const row = task.distances + int64_t{customer} * task.nodes;
    const int32_t max_load = task.capacity - task.demands[customer];
    const uint32_t word = scratch.state->word + static_cast<uint32_t>(customer) * 0x85EBCA6Bu;
    const auto best = lanes.Min(task.points() - 1, [&](int32_t number) {
      const int32_t point = number + 1;
      const int32_t route = plan.route[point];
      if (route == kUnrouted || plan.loads[route] > max_load) return kNoMove;
      const bool blinks = (MixedWord(word, static_cast<uint32_t>(point)) & kBlinkMask) == 0;
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
