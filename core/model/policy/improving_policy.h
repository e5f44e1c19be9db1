// A policy whose plans are improved by local search before they are given. No torch here.
#pragma once

#include <memory>

#include "core/kernels/improve/batch_improver.h"
#include "core/model/policy/policy.h"

namespace vrp {

// Improves the best plans of `policy` where DecodeOptions::improvement asks for it; all else is the
// policy's. Knows what of CVRP and TSP has symmetric distances and no more rules than loads.
std::unique_ptr<Policy> MakeImprovingPolicy(std::unique_ptr<Policy> policy,
                                            std::unique_ptr<BatchImprover> improver);

}  // namespace vrp
