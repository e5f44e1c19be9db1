// Joins the states of GPUs for the server's statistics.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/device/device_memory.h"
#include "core/device/device_telemetry.h"
#include "server/telemetry/device_sampler.h"

namespace vrp {

// The state of a GPU. At least one of `telemetry` and `memory` has a value.
struct DeviceFigures {
  std::string id;                            // for example "cuda:0", or "nvml:1" if CUDA does not
                                             // use the GPU
  std::optional<DeviceTelemetry> telemetry;  // reported by the driver
  std::optional<DeviceMemory> memory;        // set for a device that this process uses
};

// Merges both lists by id: first the devices of `sample` in its order, then those that only
// `memory` has.
std::vector<DeviceFigures> JoinDevices(const DeviceSample& sample,
                                       const std::vector<DeviceMemory>& memory);

}  // namespace vrp
