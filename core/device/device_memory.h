// Memory use of the devices. This header does not include torch.
#pragma once

#include <cstdint>
#include <vector>

#include "core/device/device.h"

namespace vrp {

// Memory of one device, in bytes.
struct DeviceMemory {
  DeviceId id;
  int64_t total = 0;
  int64_t free = 0;       // available to any program
  int64_t allocated = 0;  // by this program's tensors
  int64_t reserved = 0;   // by this program's tensors and allocator cache
};

// Returns the memory of the CUDA devices that this program has used. A query of another device
// would create a CUDA context on it, which takes hundreds of MiB. Leaves out devices that do not
// answer. Thread-safe.
std::vector<DeviceMemory> ReadDeviceMemory();

}  // namespace vrp
