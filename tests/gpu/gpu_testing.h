// Provides helpers for the tests that need a GPU. Without a GPU, these tests are skipped with a
// printed reason. This header does not include torch.
#pragma once

#include <vector>

#include "core/device/device.h"
#include "gtest/gtest.h"
#include "tests/gpu/emulation_options.h"

namespace vrp::test {

// Whether the emulated device runs the tests. Its header replaces this one.
inline constexpr bool kEmulated = false;
inline void ConfigureDevice(const EmulationOptions&) {}

inline constexpr char kNoGpu[] =
    "no CUDA device: none in this machine, none shown by its driver, or a build without CUDA "
    "(./dev build cuda)";

// Returns the first GPU, or the CPU if there is none.
inline DeviceInfo FirstGpu() {
  std::vector<DeviceInfo> devices = ListDevices();
  return devices.size() > 1 ? devices[1] : devices[0];
}

inline bool HasGpu() { return FirstGpu().id.kind == DeviceKind::kCuda; }

class GpuTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!HasGpu()) GTEST_SKIP() << kNoGpu;
  }
};

}  // namespace vrp::test
