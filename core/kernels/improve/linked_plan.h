// A plan as a ring of points per route, changed by several threads together.
#pragma once

#include <cstdint>

#include "core/kernels/improve/improve_task.h"

namespace vrp {

// Route of an unrouted customer.
inline constexpr uint16_t kUnrouted = 0xFFFF;

// The numbers of a plan. Padded to 16 bytes.
struct PlanHeader {
  int32_t cost = 0;
  int32_t mean_leg = 0;  // of the initial plan of annealing
  int32_t unused[2] = {};
};

// A view of a plan with P points and M routes. An unrouted customer has route kUnrouted and
// undefined links.
struct LinkedPlan {
  PlanHeader* header = nullptr;
  int32_t* legs = nullptr;     // [P]: distance to the next point
  int32_t* loads = nullptr;    // [M]
  uint16_t* next = nullptr;    // [P]
  uint16_t* before = nullptr;  // [P]
  uint16_t* route = nullptr;   // [P]
  uint16_t* counts = nullptr;  // [M]: customers
};

// Returns the size of a plan in bytes, a multiple of 16.
constexpr int64_t PlanBytes(int32_t nodes, int32_t routes) {
  const int64_t points = int64_t{nodes} + routes;
  const int64_t wide = static_cast<int64_t>(sizeof(PlanHeader)) + 4 * points + 4 * int64_t{routes};
  const int64_t narrow = 2 * (3 * points + routes);
  return (wide + narrow + 15) / 16 * 16;
}

// Returns the arrays at `base`, which is aligned to 16 and has PlanBytes of at least as many nodes
// and routes.
VRP_DEVICE inline LinkedPlan PlanAt(int32_t nodes, int32_t routes, uint8_t* base) {
  const int32_t points = nodes + routes;
  auto* const legs = reinterpret_cast<int32_t*>(base + sizeof(PlanHeader));
  auto* const next = reinterpret_cast<uint16_t*>(legs + points + routes);
  return {.header = reinterpret_cast<PlanHeader*>(base),
          .legs = legs,
          .loads = legs + points,
          .next = next,
          .before = next + points,
          .route = next + int64_t{2} * points,
          .counts = next + int64_t{3} * points};
}

// Copies a plan of `bytes` bytes.
template <typename Lanes>
VRP_DEVICE void CopyPlan(const Lanes& lanes, int64_t bytes, const LinkedPlan& from,
                         const LinkedPlan& to) {
  const auto* const source = reinterpret_cast<const uint32_t*>(from.header);
  auto* const target = reinterpret_cast<uint32_t*>(to.header);
  lanes.Each(static_cast<int32_t>(bytes / 4), [&](int32_t i) { target[i] = source[i]; });
}

// The functions below run on one thread.

// Makes `to` the point after `from`.
VRP_DEVICE inline void Link(const ImproveTask& task, const LinkedPlan& plan, int32_t from,
                            int32_t to) {
  plan.next[from] = static_cast<uint16_t>(to);
  plan.before[to] = static_cast<uint16_t>(from);
  plan.legs[from] = task.Distance(from, to);
}

// Reverses the points first .. last. The caller links both ends to their neighbours outside.
VRP_DEVICE inline void Reverse(const ImproveTask& task, const LinkedPlan& plan, int32_t first,
                               int32_t last) {
  int32_t back = plan.before[last];
  for (int32_t at = last; at != first;) {
    const int32_t following = back;
    back = plan.before[following];
    Link(task, plan, at, following);
    at = following;
  }
}

// Inserts an unrouted customer behind the point `after`. Does not change the plan's cost.
VRP_DEVICE inline void Insert(const ImproveTask& task, const LinkedPlan& plan, int32_t after,
                              int32_t customer) {
  const int32_t following = plan.next[after];
  const int32_t route = plan.route[after];
  Link(task, plan, after, customer);
  Link(task, plan, customer, following);
  plan.route[customer] = static_cast<uint16_t>(route);
  plan.loads[route] += task.demands[customer];
  ++plan.counts[route];
}

// Removes the customer from its route. Returns the change of the cost, but does not apply the
// change to the plan's cost.
VRP_DEVICE inline int32_t Remove(const ImproveTask& task, const LinkedPlan& plan,
                                 int32_t customer) {
  const int32_t previous = plan.before[customer];
  const int32_t route = plan.route[customer];
  const int32_t saved = plan.legs[previous] + plan.legs[customer];
  Link(task, plan, previous, plan.next[customer]);
  plan.route[customer] = kUnrouted;
  plan.loads[route] -= task.demands[customer];
  --plan.counts[route];
  return plan.legs[previous] - saved;
}

}  // namespace vrp
