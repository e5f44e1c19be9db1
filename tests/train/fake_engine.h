// A policy that can be checked by hand. The logit of a node is linear in its features, its distance
// from the vehicle, and whether it is the depot. Gradients are exact, in double precision, on the
// calling thread. A weight beyond 1e30 makes the loss NaN, as in single precision.
#pragma once

#include <memory>

#include "core/model/policy/policy_engine.h"

namespace vrp::test {

struct FakeEngineOptions {
  uint64_t seed = 1;
  NodeOrder order = NodeOrder::kAsGiven;
  // Maximum number of instances of AddGradient (its micro_batch or, without one, its batch), beyond
  // which AddGradient runs out of memory. 0: no limit.
  int32_t max_instances = 0;
};

std::unique_ptr<PolicyEngine> MakeFakeEngine(const FakeEngineOptions& options = {});

}  // namespace vrp::test
