// One checked plan out of a policy.
#pragma once

#include "absl/status/statusor.h"
#include "core/model/policy.h"
#include "core/problem/instance.h"
#include "core/problem/solution.h"

namespace vrp {

// Asks `policy` whether it supports `instance`, decodes it and has the independent checker judge
// the best plan (not the others). The policy's own errors pass through; kInternal where what it
// gave is not one complete, feasible plan. Blocks until options.stop at most, as far as the policy
// keeps to it.
absl::StatusOr<DecodedPlan> PolicyPlan(Policy& policy, const Instance& instance,
                                       const DecodeOptions& options);

}  // namespace vrp
