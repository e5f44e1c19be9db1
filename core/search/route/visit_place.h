// Where a plan visits a customer.
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

}  // namespace vrp
