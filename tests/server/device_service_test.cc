// The GPUs in what the daemon tells, with a library in the place of NVIDIA's.
#include <string>

#include "gmock/gmock.h"
#include "tests/device/fake_nvml.h"
#include "tests/server/daemon_fixture.h"
#include "tests/server/http_get.h"
#include "vrp/v1/system_service.grpc.pb.h"

namespace vrp::test {
namespace {

using testing::HasSubstr;

class DeviceServiceTest : public DaemonTest {
 protected:
  DeviceServiceTest() { vrpd_.metrics_listen = "127.0.0.1:0"; }

  v1::ServerStats Stats() const {
    Context context;
    v1::ServerStats stats;
    const grpc::Status status =
        v1::SystemService::NewStub(channel_)->GetServerStats(&context, {}, &stats);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return stats;
  }

  FakeNvml nvml_;
};

TEST_F(DeviceServiceTest, TellsHowTheGpusAre) {
  nvml_->figures[1] = kFakeGpuIsLost;
  vrpd_.nvml_library = FakeNvmlPath();
  Start();
  v1::ServerStats stats = Stats();
  while (stats.devices().empty()) stats = Stats();  // the driver has not answered yet
  ASSERT_EQ(stats.devices_size(), 2);
  EXPECT_EQ(stats.device_problem(), "");
  EXPECT_EQ(stats.devices(0).id(), "nvml:0");
  EXPECT_EQ(stats.devices(0).name(), "NVIDIA Fake");
  EXPECT_EQ(stats.devices(0).uuid(), kFakeUuids[0]);
  EXPECT_EQ(stats.devices(0).driver_version(), "580.65.06");
  EXPECT_EQ(stats.devices(0).utilization(), 0.83);
  EXPECT_EQ(stats.devices(0).memory_total_bytes(), int64_t{143} << 30);
  EXPECT_EQ(stats.devices(0).memory_used_bytes(), int64_t{13} << 30);
  EXPECT_FALSE(stats.devices(0).has_memory_reserved_bytes()) << "the daemon does not use it";
  EXPECT_EQ(stats.devices(0).temperature_celsius(), 54);
  EXPECT_EQ(stats.devices(0).power_watts(), 412.5);
  EXPECT_EQ(stats.devices(0).power_limit_watts(), 700);
  EXPECT_EQ(stats.devices(0).sm_clock_mhz(), 1980);
  EXPECT_EQ(stats.devices(1).problem(), "GPU is lost");
  EXPECT_FALSE(stats.devices(1).has_utilization());
  const std::string page = HttpGet(daemon_->metrics_address(), "/metrics").body;
  EXPECT_THAT(page, HasSubstr("vrp_device_utilization_ratio{device=\"nvml:0\"} 0.83\n"));
  EXPECT_THAT(page, HasSubstr("vrp_device_up{device=\"nvml:1\"} 0\n"));
}

TEST_F(DeviceServiceTest, ServesWithoutNvidiasLibraryAndSaysSo) {
  vrpd_.nvml_library = "libno-such-nvml.so.1";
  Start();
  const v1::ServerStats stats = Stats();
  EXPECT_EQ(stats.devices_size(), 0);
  EXPECT_THAT(stats.device_problem(), HasSubstr("libno-such-nvml.so.1: cannot open"));
  EXPECT_EQ(HttpGet(daemon_->metrics_address(), "/metrics").status, 200);
}

}  // namespace
}  // namespace vrp::test
