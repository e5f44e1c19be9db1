// An engine that uses its device only through the device's executor. Needs no torch.
#pragma once

#include <memory>

#include "core/device/executor.h"
#include "core/model/policy/policy_engine.h"

namespace vrp {

// Wraps `engine`. The executor runs every call, including those of captured steps, at `priority`.
// The wrapper's destructor releases device memory that is not in use. The executor must outlive the
// wrapper.
std::unique_ptr<PolicyEngine> MakeOwnedEngine(std::unique_ptr<PolicyEngine> engine,
                                              DeviceExecutor& executor, Priority priority);

}  // namespace vrp
