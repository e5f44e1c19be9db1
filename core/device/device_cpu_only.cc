// The list of devices in a build without torch: the CPU.
#include "core/device/cpu_info.h"
#include "core/device/device.h"

namespace vrp {

std::vector<DeviceInfo> ListDevices() { return {DescribeCpu()}; }

}  // namespace vrp
