// The devices of a program without torch, which has only the CPU.
#include "core/device/cpu_info.h"
#include "core/device/device.h"
#include "core/device/device_memory.h"
#include "core/device/executor.h"

namespace vrp {

std::vector<DeviceInfo> ListDevices() { return {DescribeCpu()}; }

CudaVersions ReadCudaVersions() { return {}; }

std::string ExplainMissingCuda() { return ExplainMissingCuda({}, ""); }

std::vector<DeviceMemory> ReadDeviceMemory() { return {}; }

std::unique_ptr<DeviceHooks> MakeCudaDeviceHooks(int32_t, const DeviceShares&) { return nullptr; }

}  // namespace vrp
