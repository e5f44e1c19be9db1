// A policy that decodes plans by any engine. Needs no torch.
#pragma once

#include <memory>
#include <vector>

#include "core/model/policy/policy.h"
#include "core/model/policy/policy_engine.h"

namespace vrp {

// Makes a policy that decodes by `engine`, whose parameters must not change any more.
std::unique_ptr<Policy> MakeEnginePolicy(std::unique_ptr<const PolicyEngine> engine,
                                         std::vector<ProblemKind> kinds, DeviceId device);

}  // namespace vrp
