#include "core/device/device.h"

#include <cstdlib>
#include <string>
#include <vector>

#include "core/device/cpu_info.h"
#include "core/device/device_memory.h"
#include "core/device/device_telemetry.h"
#include "gtest/gtest.h"

namespace vrp {
namespace {

TEST(ListDevicesTest, StartsWithTheCpuAndItsMemory) {
  const std::vector<DeviceInfo> devices = ListDevices();
  ASSERT_FALSE(devices.empty());
  EXPECT_EQ(devices[0].id, DeviceId{});
  EXPECT_FALSE(devices[0].name.empty());
  EXPECT_GT(devices[0].memory_bytes, int64_t{64} << 20);
}

// Runs in a separate process, because kernels choose their instructions once.
TEST(ListDevicesDeathTest, OffersMixedPrecisionOnTheCpuOnlyIfTheChosenKernelsHaveBf16) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const bool bf16 = ListDevices().front().bf16;
  ASSERT_EQ(setenv("VRP_ISA", "avx2", 1), 0);
  EXPECT_EXIT(
      {
        const DeviceInfo cpu = ListDevices().front();
        std::exit(!cpu.amp && cpu.bf16 == bf16 ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
  EXPECT_EQ(unsetenv("VRP_ISA"), 0);
}

TEST(ReadDeviceMemoryTest, LeavesOutDevicesThatThisProgramDoesNotUse) {
  EXPECT_TRUE(ReadDeviceMemory().empty());
}

TEST(ReadDeviceMemoryTest, QueryingTheDriverDoesNotCountAsUsingADevice) {
  const std::vector<DeviceInfo> devices = ListDevices();
  if (devices.size() < 2) GTEST_SKIP() << "no CUDA device here";
  const auto reader = MakeTelemetryReader({.devices = devices});
  ASSERT_TRUE(reader.ok()) << reader.status();
  const auto telemetry = (*reader)->Read();
  ASSERT_TRUE(telemetry.ok()) << telemetry.status();
  size_t known = 0;
  for (const DeviceTelemetry& device : *telemetry) {
    if (!device.id.has_value()) continue;
    ++known;
    EXPECT_GT(device.memory_total_bytes.value_or(0), 0) << device.uuid << ": " << device.problem;
  }
  EXPECT_EQ(known, devices.size() - 1)
      << "telemetry must cover each CUDA device that MIG does not split";
  EXPECT_TRUE(ReadDeviceMemory().empty());
}

TEST(ResolveDeviceTest, AcceptsTheCpuByName) { EXPECT_EQ(ResolveDevice("cpu")->ToString(), "cpu"); }

TEST(ResolveDeviceTest, ResolvesAutoToTheFirstGpuOrTheCpu) {
  const std::vector<DeviceInfo> devices = ListDevices();
  EXPECT_EQ(*ResolveDevice("auto"), devices.size() > 1 ? devices[1].id : devices[0].id);
}

TEST(ResolveDeviceTest, NamesTheExistingDevicesWhenOneIsMissing) {
  const auto device = ResolveDevice("cuda:1023");
  EXPECT_EQ(device.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(std::string(device.status().message()).find("this machine has cpu"), std::string::npos);
}

TEST(ExplainMissingCudaTest, NamesTheRequiredDriver) {
  EXPECT_EQ(ExplainMissingCuda({.built = 13000, .driver = 12080}, "driver version is insufficient"),
            "the NVIDIA driver is too old: it supports CUDA 12.8, this program is built with 13.0; "
            "wanted driver 580 or newer");
  EXPECT_EQ(ExplainMissingCuda({.built = 13000, .driver = 0}, ""),
            "no NVIDIA driver answers; wanted driver 580 or newer");
  EXPECT_EQ(
      ExplainMissingCuda({.built = 13000, .driver = 13010}, "no CUDA-capable device is detected"),
      "CUDA reports: no CUDA-capable device is detected");
  EXPECT_EQ(ExplainMissingCuda({.built = 0, .driver = 13000}, ""),
            "this program was built without CUDA: see ./dev build cuda");
}

TEST(ExplainMissingCudaTest, AppearsInTheErrorForAMissingDevice) {
  const std::string why = ExplainMissingCuda();
  EXPECT_EQ(why.empty(), ListDevices().size() > 1);
  EXPECT_NE(std::string(ResolveDevice("cuda:1023").status().message()).find(why),
            std::string::npos);
}

class WrongDeviceTest : public testing::TestWithParam<const char*> {};

TEST_P(WrongDeviceTest, IsRejectedByAnErrorThatListsTheAcceptedValues) {
  const auto device = ResolveDevice(GetParam());
  EXPECT_EQ(device.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(std::string(device.status().message()).find("\"cuda:N\""), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(InvalidNames, WrongDeviceTest,
                         testing::Values("", "gpu", "CPU", "cuda:", "cuda:-1", "cuda:x", "cuda:1x",
                                         "cuda:99999999999999999999", "cpu:0", "\xff"));

TEST(ProcTest, FindsAValueByItsWholeKey) {
  EXPECT_EQ(ProcValue("model\t: 85\nmodel name\t: Intel X\n", "model name"), "Intel X");
  EXPECT_EQ(ProcValue("model name", "model name"), "");
  EXPECT_EQ(ProcValue("", "model name"), "");
}

TEST(ProcTest, ParsesOnlyKilobytes) {
  EXPECT_EQ(ProcBytes("24 kB"), 24 * 1024);
  EXPECT_EQ(ProcBytes("24 MB"), 0);
  EXPECT_EQ(ProcBytes("-24 kB"), 0);
  EXPECT_EQ(ProcBytes("9223372036854775807 kB"), 0);
}

}  // namespace
}  // namespace vrp
