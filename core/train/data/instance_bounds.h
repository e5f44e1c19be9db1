// Bounds of all instances of a training run, known before the first of them is drawn. Needs no
// torch.
#pragma once

#include <cstdint>

#include "core/problem/instance/instance.h"
#include "core/train/config/training_config.h"

namespace vrp {

struct InstanceBounds {
  // Widens the bounds to include `data`, which must be valid.
  void Add(const InstanceData& data);

  int32_t nodes = 0;         // number of nodes of the largest instance, including its depot
  IntegerRange starts = {};  // fewest and most nodes that may come first in an instance
  bool tsp = false;          // whether some instances are a TSP
  bool matrices = false;     // whether some instances have a matrix
};

// Returns the bounds of generated instances.
InstanceBounds GeneratedBounds(const ProblemConfig& problem);

}  // namespace vrp
