// An engine that uses its device only through the device's executor. No torch here.
#pragma once

#include <memory>

#include "core/device/executor.h"
#include "core/model/policy/policy_engine.h"

namespace vrp {

// Wraps `engine`: every call, also of its captured steps, runs as work of `executor` at `priority`.
// Its destructor releases the device memory that nothing else uses. The executor must outlive it.
std::unique_ptr<PolicyEngine> MakeOwnedEngine(std::unique_ptr<PolicyEngine> engine,
                                              DeviceExecutor& executor, Priority priority);

}  // namespace vrp
