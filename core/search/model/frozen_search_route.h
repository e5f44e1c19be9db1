// Frozen beginnings of routes as the search reads them.
#pragma once

#include <cstdint>
#include <vector>

#include "core/problem/instance/node.h"

namespace vrp {

// A route that every plan has, in the slot of its place among them (Instance::frozen).
struct FrozenSearchRoute {
  int32_t type = 0;
  int32_t label = 0;                  // the instance's type
  std::vector<NodeIndex> nodes = {};  // with nothing else: start, frozen visits, deliveries, end
  int32_t fixed = 0;                  // the position of the last frozen visit
};

}  // namespace vrp
