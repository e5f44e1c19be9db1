// Tests telemetry with fakes of NVML, NVIDIA's management library. tests/device/device_test.cc
// tests the real library if there is a GPU.
#include "core/device/device_telemetry.h"

#include <array>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "core/device/nvml_library.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/device/fake_nvml.h"

namespace vrp {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::unique_ptr<TelemetryReader> MakeReader(const std::string& file = "fake_nvml.so",
                                            std::vector<DeviceInfo> devices = {}) {
  auto reader =
      MakeTelemetryReader({.library = test::FakeNvmlPath(file), .devices = std::move(devices)});
  EXPECT_TRUE(reader.ok()) << reader.status();
  return *std::move(reader);
}

std::vector<DeviceTelemetry> Read(TelemetryReader& reader) {
  auto devices = reader.Read();
  EXPECT_TRUE(devices.ok()) << devices.status();
  return devices.value_or(std::vector<DeviceTelemetry>{});
}

DeviceInfo CudaDevice(int32_t index, const char* uuid) {
  DeviceInfo info;
  info.id = {DeviceKind::kCuda, index};
  info.uuid = uuid;
  return info;
}

TEST(DeviceTelemetryTest, ReadsEachGpusValuesInTheirUnits) {
  const test::FakeNvml nvml;
  const auto devices = Read(*MakeReader());
  ASSERT_THAT(devices, SizeIs(2));
  EXPECT_EQ(devices[0].index, 0);
  EXPECT_EQ(devices[0].name, "NVIDIA Fake");
  EXPECT_EQ(devices[0].uuid, test::kFakeUuids[0]);
  EXPECT_EQ(devices[0].driver_version, "580.65.06");
  EXPECT_EQ(devices[0].utilization, 0.83);
  EXPECT_EQ(devices[0].memory_utilization, 0.4);
  EXPECT_EQ(devices[0].memory_total_bytes, int64_t{143} << 30);
  EXPECT_EQ(devices[0].memory_used_bytes, int64_t{13} << 30);
  EXPECT_EQ(devices[0].temperature_celsius, 54);
  EXPECT_EQ(devices[0].power_watts, 412.5);
  EXPECT_EQ(devices[0].power_limit_watts, 700);
  EXPECT_EQ(devices[0].sm_clock_mhz, 1980);
  EXPECT_EQ(devices[0].problem, "");
  EXPECT_EQ(devices[1].index, 1);
  EXPECT_EQ(devices[1].uuid, test::kFakeUuids[1]);
  EXPECT_EQ(devices[1].utilization, 0) << "the idle GPU's utilization must be 0, not absent";
  EXPECT_EQ(devices[1].sm_clock_mhz, 345);
}

TEST(DeviceTelemetryTest, MatchesCudaGpusByUuid) {
  const test::FakeNvml nvml;
  const auto reader = MakeReader("fake_nvml.so", {DeviceInfo{}, CudaDevice(0, test::kFakeUuids[1]),
                                                  CudaDevice(1, "GPU-of-another-machine")});
  const auto devices = Read(*reader);
  ASSERT_THAT(devices, SizeIs(2));
  EXPECT_EQ(devices[0].id, std::nullopt) << "CUDA does not list this GPU";
  EXPECT_EQ(devices[1].id, (DeviceId{DeviceKind::kCuda, 0}));
}

TEST(DeviceTelemetryTest, LeavesOutUnsupportedValues) {
  const test::FakeNvml nvml;
  nvml->power[0] = test::kFakeNotSupported;
  nvml->power[1] = test::kFakeNoPermission;
  for (const DeviceTelemetry& device : Read(*MakeReader())) {
    EXPECT_EQ(device.power_watts, std::nullopt);
    EXPECT_EQ(device.power_limit_watts, 700);
    EXPECT_EQ(device.problem, "");
  }
}

TEST(DeviceTelemetryTest, ReportsAGpuLostLaterAndReadsTheOthers) {
  const test::FakeNvml nvml;
  const auto reader = MakeReader();
  EXPECT_EQ(Read(*reader).at(0).problem, "");
  nvml->queries[0] = test::kFakeGpuIsLost;
  const auto devices = Read(*reader);
  ASSERT_THAT(devices, SizeIs(2));
  EXPECT_EQ(devices[0].problem, "GPU is lost");
  EXPECT_EQ(devices[0].uuid, test::kFakeUuids[0]) << "the reader must remember the UUID";
  EXPECT_EQ(devices[0].utilization, std::nullopt);
  EXPECT_EQ(devices[0].memory_used_bytes, std::nullopt);
  EXPECT_EQ(devices[1].problem, "");
  EXPECT_EQ(devices[1].temperature_celsius, 31);
  nvml->queries[0] = 0;
  EXPECT_EQ(Read(*reader).at(0).problem, "") << "the problem must end when the GPU answers again";
}

TEST(DeviceTelemetryTest, ReportsAGpuLostFromTheStart) {
  const test::FakeNvml nvml;
  nvml->handle[1] = test::kFakeGpuIsLost;
  const auto devices = Read(*MakeReader());
  ASSERT_THAT(devices, SizeIs(2));
  EXPECT_EQ(devices[0].utilization, 0.83);
  EXPECT_EQ(devices[1].index, 1);
  EXPECT_EQ(devices[1].problem, "GPU is lost");
}

TEST(DeviceTelemetryTest, LeavesOutGpusWithoutPermission) {
  const test::FakeNvml nvml;
  nvml->handle[0] = test::kFakeNoPermission;
  const auto devices = Read(*MakeReader());
  ASSERT_THAT(devices, SizeIs(1));
  EXPECT_EQ(devices[0].index, 1);
}

TEST(DeviceTelemetryTest, ReportsAMissingDriverAndTriesAgain) {
  const test::FakeNvml nvml;
  nvml->init = test::kFakeDriverNotLoaded;
  const auto reader = MakeReader();
  const absl::Status status = reader->Read().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(status.message(), "NVML: nvmlInit: Driver Not Loaded");
  nvml->init = 0;
  EXPECT_THAT(Read(*reader), SizeIs(2));
}

TEST(DeviceTelemetryTest, ReportsThatThereIsNoGpuAndReleasesTheLibrary) {
  const test::FakeNvml nvml;
  nvml->gpus = 0;
  EXPECT_EQ(MakeReader()->Read().status().message(), "NVML: the driver shows no GPU to this user");
  nvml->count = test::kFakeGpuIsLost;
  EXPECT_EQ(MakeReader()->Read().status().message(), "NVML: nvmlDeviceGetCount: GPU is lost");
  EXPECT_EQ(nvml->inits, 2);
  EXPECT_EQ(nvml->shutdowns, 2);
}

TEST(DeviceTelemetryTest, InitialisesOnceAndShutsDown) {
  const test::FakeNvml nvml;
  {
    const auto reader = MakeReader();
    EXPECT_EQ(nvml->inits, 0) << "the reader must not initialise NVML before the first read";
    Read(*reader);
    Read(*reader);
    EXPECT_EQ(nvml->inits, 1);
    EXPECT_EQ(nvml->shutdowns, 0);
  }
  EXPECT_EQ(nvml->shutdowns, 1);
}

TEST(DeviceTelemetryTest, EscapesUnprintableNames) {
  const test::FakeNvml nvml;
  nvml->name = "NVIDIA \xff";
  EXPECT_EQ(Read(*MakeReader()).at(0).name, "NVIDIA \\xff");
}

TEST(DeviceTelemetryTest, AnswersConcurrentReaders) {
  const test::FakeNvml nvml;
  const auto reader = MakeReader();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] { EXPECT_THAT(Read(*reader), SizeIs(2)); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(nvml->inits, 1);
}

TEST(DeviceTelemetryTest, WorksWithoutOptionalFunctions) {
  const auto devices = Read(*MakeReader("fake_nvml_bare.so"));
  ASSERT_THAT(devices, SizeIs(1));
  EXPECT_EQ(devices[0].name, "");
  EXPECT_EQ(devices[0].driver_version, "");
  EXPECT_EQ(devices[0].utilization, std::nullopt);
  EXPECT_EQ(devices[0].temperature_celsius, 47) << "must come from nvmlDeviceGetTemperature";
  EXPECT_EQ(devices[0].problem, "");
}

TEST(MakeTelemetryReaderTest, NamesTheFunctionThatALibraryLacks) {
  const std::string path = test::FakeNvmlPath("fake_nvml_no_count.so");
  const absl::Status status = MakeTelemetryReader({.library = path, .devices = {}}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(status.message(), "NVML: " + path +
                                  ": has no nvmlDeviceGetCount_v2, wanted the library of an NVIDIA "
                                  "driver");
}

TEST(MakeTelemetryReaderTest, NamesTheMissingLibrary) {
  const absl::Status status =
      MakeTelemetryReader({.library = "libno-such-nvml.so.1", .devices = {}}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("libno-such-nvml.so.1: cannot open"));
}

TEST(GpuUuidTest, FormatsLikeTheDriver) {
  std::array<uint8_t, 16> bytes{};
  std::iota(bytes.begin(), bytes.end(), uint8_t{0});
  EXPECT_EQ(GpuUuid(bytes), test::kFakeUuids[0]);
}

}  // namespace
}  // namespace vrp
