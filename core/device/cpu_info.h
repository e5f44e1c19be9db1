// The CPU as a device.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/device/device.h"

namespace vrp {

// Returns the CPU's description, read from /proc/cpuinfo, /proc/meminfo and core/base/isa.h. Never
// fails. Unreadable values become "CPU" and 0.
DeviceInfo DescribeCpu();

// Returns the value of `key` in text of `key : value` lines; empty if `key` is absent.
std::string_view ProcValue(std::string_view text, std::string_view key);
// Returns "24690000 kB" in bytes; 0 for other text.
int64_t ProcBytes(std::string_view value);

}  // namespace vrp
