// Describes a visit of a customer: its route, its position there, and its times.
#pragma once

#include <cstdint>

#include "core/problem/instance/node.h"

namespace vrp {

// Where a customer is, in one half of a cache line: what a search beside related customers asks of
// each.
struct VisitPlace {
  int32_t route = -1;    // -1: absent, and the rest is of its last visit
  int32_t position = 0;  // 0: there was none, and the rest is void
  NodeIndex before = 0;
  NodeIndex after = 0;
  double edge_before = 0;  // distance from `before`
  double edge_after = 0;   // distance to `after`
};

// A customer fits between i and i + 1 exactly when it is reached in time from the departure of i,
// and i + 1 from it by the latest arrival of i + 1 (Savelsbergh 1992, "The vehicle routing problem
// with time windows: minimizing route duration"). Neither ever falls along a route.
struct VisitTimes {
  double departure = 0;  // the earliest end of service
  double latest = 0;     // the latest arrival that keeps the rest of the route in time
  double drive = 0;      // duration to the next visit; 0 at the end

  bool operator==(const VisitTimes&) const = default;
};

}  // namespace vrp
