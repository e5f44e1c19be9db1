// The CPU as a device.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/device/device.h"

namespace vrp {

// From /proc/cpuinfo, /proc/meminfo and core/base/isa.h. Never fails: what cannot be read is "CPU"
// and 0.
DeviceInfo DescribeCpu();

// The value behind `key` in text of `key : value` lines; empty where there is none.
std::string_view ProcValue(std::string_view text, std::string_view key);
// "24690000 kB" in bytes; 0 for other text.
int64_t ProcBytes(std::string_view value);

}  // namespace vrp
