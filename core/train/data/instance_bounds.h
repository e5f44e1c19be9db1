// What all instances of a training have in common, known before the first of them is drawn. No
// torch here.
#pragma once

#include <cstdint>

#include "core/problem/instance/instance.h"
#include "core/train/config/training_config.h"

namespace vrp {

struct InstanceBounds {
  // Takes `data`, which is valid, in.
  void Add(const InstanceData& data);

  int32_t nodes = 0;         // of the largest, with its depot
  IntegerRange starts = {};  // how many nodes may come first in an instance
  bool tsp = false;          // some are a TSP
  bool matrices = false;     // some have one
};

// Of those that are generated.
InstanceBounds GeneratedBounds(const ProblemConfig& problem);

}  // namespace vrp
