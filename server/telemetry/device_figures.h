// The GPUs in the daemon's figures.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/device/device_memory.h"
#include "core/device/device_telemetry.h"
#include "server/telemetry/device_sampler.h"

namespace vrp {

// One of the two is there at least.
struct DeviceFigures {
  std::string id;                            // "cuda:0"; "nvml:1": see DeviceTelemetry.id
  std::optional<DeviceTelemetry> telemetry;  // of the driver
  std::optional<DeviceMemory> memory;        // of a device that the daemon uses
};

// Those that the driver tells of, in its order, then those that only the daemon knows.
std::vector<DeviceFigures> JoinDevices(const DeviceSample& sample,
                                       const std::vector<DeviceMemory>& memory);

}  // namespace vrp
