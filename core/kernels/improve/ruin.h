// Removal of strings of neighbouring customers: Christiaens and Vanden Berghe, "Slack induction by
// string removals for vehicle routing problems", Transportation Science 2020.
#pragma once

#include <cstdint>

#include "core/kernels/improve/improve_random.h"
#include "core/kernels/improve/improve_scratch.h"

namespace vrp {

// Mean number of customers that a ruin aims to remove.
inline constexpr int32_t kMeanRemoved = 10;
// Maximum number of customers removed from one string.
inline constexpr int32_t kMaxStringLength = 10;

// Removes `length` customers of a string that begins up to `max_before` customers before
// `customer`. If `skipped` >= 0, the string has one customer more, and the one at position
// `skipped` (from 0) stays. Removes fewer customers if the route is shorter or kMaxRemoved is
// reached. Must run on one thread.
VRP_DEVICE inline void RemoveString(const ImproveTask& task, const ImproveScratch& scratch,
                                    int32_t customer, int32_t length, int32_t skipped,
                                    uint32_t max_before) {
  const LinkedPlan& plan = scratch.trial;
  int32_t first = customer;
  for (; max_before > 0 && task.IsCustomer(plan.before[first]); --max_before)
    first = plan.before[first];
  // The string begins earlier if the route ends too soon.
  const int32_t span = length + (skipped >= 0 ? 1 : 0);
  int32_t last = first;
  int32_t found = 1;
  for (; found < span && task.IsCustomer(plan.next[last]); ++found) last = plan.next[last];
  for (; found < span && task.IsCustomer(plan.before[first]); ++found) first = plan.before[first];
  ImproveState& state = *scratch.state;
  for (int32_t i = 0; i < found && state.removed < kMaxRemoved; ++i) {
    const int32_t at = first;
    first = plan.next[first];
    if (i == skipped) continue;
    state.delta += Remove(task, plan, at);
    scratch.removed[state.removed++] = static_cast<uint16_t>(at);
  }
}

// Ruins the trial, in which all customers are routed. Must run on one thread.
VRP_DEVICE inline void Ruin(const ImproveTask& task, const ImproveScratch& scratch,
                            ImproveRandom& random) {
  const LinkedPlan& plan = scratch.trial;
  ImproveState& state = *scratch.state;
  state.removed = 0;
  state.delta = 0;
  int32_t used = 0;
  for (int32_t r = 0; r < task.routes; ++r) used += plan.counts[r] > 0 ? 1 : 0;
  const int32_t mean = (task.nodes - 1) / (used > 0 ? used : 1);  // 0 without customers
  const int32_t longest = mean < kMaxStringLength ? mean : kMaxStringLength;
  // Draws uniformly from 1 .. 4 kMeanRemoved / (1 + longest) - 1. A fractional bound is rounded up,
  // and that value is less likely.
  const int32_t span = 4 * kMeanRemoved - 1 - longest;
  const auto strings =
      static_cast<int32_t>(1 + random.Below(static_cast<uint32_t>(span)) / (1 + longest));
  const auto seed = static_cast<int32_t>(1 + random.Below(static_cast<uint32_t>(task.nodes - 1)));
  uint64_t ruined = 0;  // bit per route number, modulo 64
  int32_t removed_strings = 0;
  for (int32_t i = -1; i < task.list_length() && removed_strings < strings; ++i) {
    const int32_t customer = i < 0 ? seed : task.neighbours[seed * task.list_length() + i];
    const int32_t route = plan.route[customer];
    if (route == kUnrouted) continue;
    const uint64_t bit = uint64_t{1} << (route & 63);
    if ((ruined & bit) != 0 && task.routes > 1) continue;
    ruined |= bit;
    ++removed_strings;
    const int32_t count = plan.counts[route];
    const int32_t max_length = count < longest ? count : longest;
    const auto length = static_cast<int32_t>(1 + random.Below(static_cast<uint32_t>(max_length)));
    const bool split = length > 1 && length < count && (random.Next() & 1) != 0;
    const int32_t skipped =
        split ? static_cast<int32_t>(1 + random.Below(static_cast<uint32_t>(length - 1))) : -1;
    RemoveString(task, scratch, customer, length, skipped,
                 random.Below(static_cast<uint32_t>(length + (split ? 1 : 0))));
  }
}

}  // namespace vrp
