// An engine whose every touch of its device is a piece of work of the device's executor. No torch
// here.
#pragma once

#include <memory>

#include "core/device/executor.h"
#include "core/model/policy/policy_engine.h"

namespace vrp {

// `engine`'s, at `priority`; its whole steps' too. When it goes, so does the memory that nothing
// else uses. The executor outlives it.
std::unique_ptr<PolicyEngine> MakeOwnedEngine(std::unique_ptr<PolicyEngine> engine,
                                              DeviceExecutor& executor, Priority priority);

}  // namespace vrp
