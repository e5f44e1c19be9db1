// A policy that improves its plans by local search before it returns them. Needs no torch.
#pragma once

#include <memory>

#include "core/kernels/improve/batch_improver.h"
#include "core/model/policy/policy.h"

namespace vrp {

// Makes a policy that improves the best plans of `policy` if DecodeOptions::improvement asks for
// it, and otherwise forwards to `policy`. SupportsImprovement accepts CVRPs and TSPs of 2 to
// kMaxImprovedNodes nodes, with symmetric distances and no rules besides capacity and fleet size.
std::unique_ptr<Policy> MakeImprovingPolicy(std::unique_ptr<Policy> policy,
                                            std::unique_ptr<BatchImprover> improver);

}  // namespace vrp
