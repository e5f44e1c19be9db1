// One route that may break limits, and its visits.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/problem/instance/instance.h"
#include "core/search/route/penalty_control.h"

namespace vrp {

// Costs are those of the vehicle's edges.
struct PenalisedVisit {
  NodeIndex previous = 0, next = 0;  // the vehicle's start and end included
  int32_t route = -1;                // -1: in no route
  int32_t position = 0;
  double load = 0;    // in the first dimension, from the route's start to here, both included
  double turned = 0;  // what the edges from the first customer to here cost more when reversed
  double into = 0;    // cost of the edge from the previous
  double out = 0;     // and to the next
};

// What a move asks first is in one cache line.
struct alignas(64) PenalisedRoute {
  int64_t changed = 0;                // the changes() when it was set
  double load = 0;                    // in the first dimension
  double capacity = kNoLimit;         // likewise
  double penalty = 0;                 // `waiting` and the excess at its penalties
  const double* edges = nullptr;      // [stride, stride] VehicleEdges::costs
  std::vector<NodeIndex> nodes = {};  // the vehicle's start and end included
  int32_t type = 0;
  double fixed = 0;    // cost of a used vehicle
  double cost = 0;     // of the edges
  double waiting = 0;  // what time costs beyond the edges: waits and overtime
  LimitExcess excess = {};

  bool empty() const { return nodes.size() <= 2; }
  int32_t stops() const { return static_cast<int32_t>(nodes.size()) - 2; }
};

// What a vehicle could drive: its own route up to `before`, then `middle`, then the route `tail`
// from `after` on. A depot stands for the vehicle's own start or end.
struct PenalisedParts {
  int32_t slot = 0;
  NodeIndex before = 0;
  std::span<const NodeIndex> middle;
  NodeIndex after = 0;
  int32_t tail = 0;
};

}  // namespace vrp
