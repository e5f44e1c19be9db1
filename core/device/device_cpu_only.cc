// The devices of a program without torch: the CPU.
#include "core/device/cpu_info.h"
#include "core/device/device.h"
#include "core/device/device_memory.h"

namespace vrp {

std::vector<DeviceInfo> ListDevices() { return {DescribeCpu()}; }

std::vector<DeviceMemory> ReadDeviceMemory() { return {}; }

}  // namespace vrp
