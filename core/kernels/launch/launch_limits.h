// Bounds of kernel launches. Depends on neither CUDA nor Abseil.
#pragma once

#include <cstdint>

namespace vrp {

// Number of threads of a slice, a group of threads with its own barrier (slice_group.cuh).
inline constexpr int32_t kSliceThreads = 128;
// Maximum number of slices of a block.
inline constexpr int32_t kMaxSlices = 8;

// Limits that CUDA reports for a device.
struct DeviceLimits {
  int64_t shared_bytes = 0;  // maximum shared memory that a block may opt in to
  int32_t multiprocessors = 0;
};

}  // namespace vrp
