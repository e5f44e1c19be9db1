// How full the memory of the devices is. No torch in this header.
#pragma once

#include <cstdint>
#include <vector>

#include "core/device/device.h"

namespace vrp {

// Bytes.
struct DeviceMemory {
  DeviceId id;
  int64_t total = 0;
  int64_t free = 0;       // for any program
  int64_t allocated = 0;  // by this program's tensors
  int64_t reserved = 0;   // by this program: those, and what is kept for the next ones
};

// Of the CUDA devices that this program has used: to ask another one would begin to use it, which
// takes hundreds of MiB there. Thread-safe; a device that does not answer is left out.
std::vector<DeviceMemory> ReadDeviceMemory();

}  // namespace vrp
