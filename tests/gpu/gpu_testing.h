// Helpers of the tests that need a GPU, which are skipped with a printed reason if there is none.
// No torch here.
#pragma once

#include <vector>

#include "core/device/device.h"
#include "gtest/gtest.h"
#include "tests/gpu/device_like.h"

namespace vrp::test {

// The emulated device replaces this header.
inline constexpr bool kEmulated = false;
inline void BeLike(const DeviceLike&) {}

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
