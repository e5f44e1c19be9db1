// A policy with a copy of its network on each of several devices.
#pragma once

#include <memory>
#include <vector>

#include "core/device/device_load.h"
#include "core/model/policy/policy.h"

namespace vrp {

// Makes a policy that decodes each batch on the copy whose device is the least busy. `copies` are
// the same network on different devices, at least one; info() is that of the first. `load`
// outlives the policy.
std::unique_ptr<Policy> MakeSpreadPolicy(std::vector<std::unique_ptr<Policy>> copies,
                                         DeviceLoad& load);

// Returns a loader that loads a model onto all `devices`, whatever device its caller names. `load`
// outlives the loader and its policies.
PolicyLoader SpreadLoader(PolicyLoader loader, std::vector<DeviceId> devices, DeviceLoad& load);

}  // namespace vrp
