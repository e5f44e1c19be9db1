// One CVRP or TSP whose plan is improved, as whole numbers in one device's memory, so that every
// device makes the same plan of it. No includes that CUDA sources could not have.
#pragma once

#include <cstdint>
#include <limits>

#include "core/kernels/support/group.h"

namespace vrp {

// Others of a customer's list that ruins go through, and that moves of the descent bring beside it.
inline constexpr int32_t kListedNear = 32;
inline constexpr int32_t kMovedNear = 12;

// What a move that must not be made costs.
inline constexpr int32_t kNoMove = std::numeric_limits<int32_t>::max();

// A view. Points are what plans are made of: customers 1 .. N - 1, and N + r, the depot at both
// ends of route r. Sums of any 4 N distances, and of all demands, are within int32.
struct ImproveTask {
  int32_t nodes = 0;   // N >= 2; N + M < 2^16 - 1
  int32_t routes = 1;  // M: the most
  int32_t capacity = 0;
  const int32_t* distances = nullptr;  // [N, N], symmetric
  const int32_t* demands = nullptr;    // [N]
  uint16_t* near = nullptr;            // [N, listed()]: customers but itself, the nearest first

  VRP_DEVICE int32_t points() const { return nodes + routes; }
  VRP_DEVICE int32_t listed() const { return kListedNear < nodes - 2 ? kListedNear : nodes - 2; }
  VRP_DEVICE bool IsCustomer(int32_t point) const { return point < nodes; }
  VRP_DEVICE int32_t NodeOf(int32_t point) const { return point < nodes ? point : 0; }
  VRP_DEVICE int32_t Distance(int32_t from, int32_t to) const {
    return distances[NodeOf(from) * nodes + NodeOf(to)];
  }
};

// Fills task.near; of equally near customers the lower number first.
template <typename Lanes>
VRP_DEVICE void ListNear(const Lanes& lanes, const ImproveTask& task) {
  const int32_t listed = task.listed();
  lanes.Each(task.nodes - 1, [&](int32_t row) {
    const int32_t from = row + 1;
    uint16_t* const list = task.near + from * listed;
    int32_t count = 0;
    for (int32_t to = 1; to < task.nodes; ++to) {
      if (to == from) continue;
      const int32_t distance = task.Distance(from, to);
      if (count == listed && (listed == 0 || task.Distance(from, list[count - 1]) <= distance)) {
        continue;
      }
      int32_t at = count < listed ? count++ : count - 1;
      for (; at > 0 && task.Distance(from, list[at - 1]) > distance; --at) list[at] = list[at - 1];
      list[at] = static_cast<uint16_t>(to);
    }
  });
}

}  // namespace vrp
