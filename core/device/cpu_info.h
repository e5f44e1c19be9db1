// Describes the CPU as a device.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/device/device.h"

namespace vrp {

// Returns the CPU's description from /proc/cpuinfo, /proc/meminfo and core/base/isa.h. Never fails.
// An unreadable name becomes "CPU", an unreadable size 0.
DeviceInfo DescribeCpu();

// Returns the memory that programs can still take, in bytes; 0: unknown.
int64_t ReadAvailableMemory();

// Returns the value of `key` in text of `key : value` lines; empty if `key` is absent.
std::string_view ProcValue(std::string_view text, std::string_view key);
// Converts a value such as "24690000 kB" to bytes. Returns 0 for other text.
int64_t ProcBytes(std::string_view value);

}  // namespace vrp
