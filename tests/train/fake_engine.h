// A policy small enough to check by hand: the logit of a node is linear in its features, its
// distance from where the vehicle is, and whether it is the depot. Exact gradients, in double
// precision, on the calling thread. A weight beyond 1e30 makes the loss no number, as it would in
// single precision.
#pragma once

#include <memory>

#include "core/model/policy/policy_engine.h"

namespace vrp::test {

struct FakeEngineOptions {
  uint64_t seed = 1;
  NodeOrder order = NodeOrder::kAsGiven;
  // AddGradient of more instances at once (by micro_batch, else the batch) is out of memory; 0: no
  // limit.
  int32_t most_instances = 0;
};

std::unique_ptr<PolicyEngine> MakeFakeEngine(const FakeEngineOptions& options = {});

}  // namespace vrp::test
