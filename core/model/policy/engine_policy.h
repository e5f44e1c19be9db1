// A policy that decodes plans by any engine. No torch here.
#pragma once

#include <memory>
#include <vector>

#include "core/model/policy/policy.h"
#include "core/model/policy/policy_engine.h"

namespace vrp {

// Makes a policy of `engine`, whose parameters must not change any more.
std::unique_ptr<Policy> MakeEnginePolicy(std::unique_ptr<const PolicyEngine> engine,
                                         std::vector<ProblemKind> kinds, DeviceId device);

}  // namespace vrp
