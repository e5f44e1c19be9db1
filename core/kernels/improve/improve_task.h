// One CVRP or TSP whose plan is improved, in one device's memory. All values are integers, so that
// every device computes the same plan. Includes only headers that CUDA sources can include.
#pragma once

#include <cstdint>
#include <limits>

#include "core/kernels/support/group.h"

namespace vrp {

// Maximum number of neighbours in a customer's list, which ruins visit, and maximum number of those
// that moves of the descent try.
inline constexpr int32_t kListedNeighbours = 32;
inline constexpr int32_t kMoveNeighbours = 12;

// Change of the cost that stands for an infeasible or skipped move.
inline constexpr int32_t kNoMove = std::numeric_limits<int32_t>::max();

// A view of an instance. A plan consists of points: the customers 1 .. N - 1, and for each route r
// the depot at both ends as point N + r. The sums of any 4 N distances and of all demands fit in
// int32.
struct ImproveTask {
  int32_t nodes = 0;   // N >= 2; N + M < 2^16 - 1
  int32_t routes = 1;  // M: maximum number of routes
  int32_t capacity = 0;
  const int32_t* distances = nullptr;  // [N, N], symmetric
  const int32_t* demands = nullptr;    // [N]
  uint16_t* neighbours = nullptr;      // [N, list_length()]: the nearest customers, nearest first

  VRP_DEVICE int32_t points() const { return nodes + routes; }
  VRP_DEVICE int32_t list_length() const {
    return kListedNeighbours < nodes - 2 ? kListedNeighbours : nodes - 2;
  }
  VRP_DEVICE bool IsCustomer(int32_t point) const { return point < nodes; }
  VRP_DEVICE int32_t NodeOf(int32_t point) const { return point < nodes ? point : 0; }
  VRP_DEVICE int32_t Distance(int32_t from, int32_t to) const {
    return distances[NodeOf(from) * nodes + NodeOf(to)];
  }
};

// Fills task.neighbours. Among equally near customers, lower numbers come first.
template <typename Lanes>
VRP_DEVICE void ListNeighbours(const Lanes& lanes, const ImproveTask& task) {
  const int32_t list_length = task.list_length();
  lanes.Each(task.nodes - 1, [&](int32_t row) {
    const int32_t from = row + 1;
    uint16_t* const list = task.neighbours + int64_t{from} * list_length;
    int32_t count = 0;
    for (int32_t to = 1; to < task.nodes; ++to) {
      if (to == from) continue;
      const int32_t distance = task.Distance(from, to);
      if (count == list_length &&
          (list_length == 0 || task.Distance(from, list[count - 1]) <= distance)) {
        continue;
      }
      int32_t at = count < list_length ? count++ : count - 1;
      for (; at > 0 && task.Distance(from, list[at - 1]) > distance; --at) list[at] = list[at - 1];
      list[at] = static_cast<uint16_t>(to);
    }
  });
}

}  // namespace vrp
