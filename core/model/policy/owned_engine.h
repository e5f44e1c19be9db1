// An engine that uses its device only through the device's executor. Needs no torch.
#pragma once

#include <memory>

#include "core/device/executor.h"
#include "core/model/policy/policy_engine.h"

namespace vrp {

// Wraps `engine`. The executor runs every call that uses the device, including those of captured
// steps, at `priority`, while the caller waits. WaitForReportSlot of captured steps waits without
// the executor. The wrapper's destructor deletes the engine on the executor and returns cached,
// unused memory to the device. The executor must outlive the wrapper.
std::unique_ptr<PolicyEngine> MakeOwnedEngine(std::unique_ptr<PolicyEngine> engine,
                                              DeviceExecutor& executor, Priority priority);

}  // namespace vrp
