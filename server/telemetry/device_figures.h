// The state of GPUs in the server's statistics.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/device/device_memory.h"
#include "core/device/device_telemetry.h"
#include "server/telemetry/device_sampler.h"

namespace vrp {

// A GPU. At least one of `telemetry` and `memory` has a value.
struct DeviceFigures {
  std::string id;                            // "cuda:0"; "nvml:1" if CUDA does not use it
  std::optional<DeviceTelemetry> telemetry;  // reported by the driver
  std::optional<DeviceMemory> memory;        // of a device that this process uses
};

// Merges both lists by id: first the devices of `sample` in its order, then those of `memory` only.
std::vector<DeviceFigures> JoinDevices(const DeviceSample& sample,
                                       const std::vector<DeviceMemory>& memory);

}  // namespace vrp
