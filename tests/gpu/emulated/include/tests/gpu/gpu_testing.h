// Replaces tests/gpu/gpu_testing.h in tests that the emulated device runs.
#pragma once

#include "gtest/gtest.h"
#include "tests/gpu/emulated/emulated_device.h"
#include "tests/gpu/emulation_options.h"

namespace vrp::test {

inline constexpr bool kEmulated = true;

inline void ConfigureDevice(const EmulationOptions& device) {
  emulated::ResetDevice({.shared_bytes = device.shared_bytes,
                         .multiprocessors = device.multiprocessors,
                         .seed = device.seed,
                         .deferred = device.deferred});
}

inline constexpr char kNoGpu[] = "";
inline bool HasGpu() { return true; }

class GpuTest : public testing::Test {};

}  // namespace vrp::test
