#include "server/telemetry/device_figures.h"

#include <algorithm>

#include "core/base/text.h"

namespace vrp {

std::vector<DeviceFigures> JoinDevices(const DeviceSample& sample,
                                       const std::vector<DeviceMemory>& memory) {
  std::vector<DeviceFigures> devices;
  if (sample.ok()) {
    for (const DeviceTelemetry& telemetry : *sample) {
      devices.push_back({.id = telemetry.id.has_value() ? telemetry.id->ToString()
                                                        : Concat("nvml:", telemetry.index),
                         .telemetry = telemetry,
                         .memory = std::nullopt});
    }
  }
  for (const DeviceMemory& used : memory) {
    const std::string id = used.id.ToString();
    const auto found = std::find_if(devices.begin(), devices.end(),
                                    [&](const DeviceFigures& device) { return device.id == id; });
    if (found != devices.end()) {
      found->memory = used;
    } else {
      devices.push_back({.id = id, .telemetry = std::nullopt, .memory = used});
    }
  }
  return devices;
}

}  // namespace vrp
