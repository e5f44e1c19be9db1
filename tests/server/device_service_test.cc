// Tests GPUs in the daemon's metrics, with a fake of NVIDIA's library.
#include <string>

#include "core/device/device_loss.h"
#include "gmock/gmock.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "tests/device/fake_nvml.h"
#include "tests/server/daemon_fixture.h"
#include "tests/server/http_get.h"
#include "tests/server/messages.h"
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

TEST_F(DeviceServiceTest, ReportsTheGpus) {
  nvml_->queries[1] = kFakeGpuIsLost;
  vrpd_.nvml_library = FakeNvmlPath();
  Start();
  v1::ServerStats stats = Stats();
  while (stats.devices().empty()) stats = Stats();  // the driver has not responded yet
  ASSERT_EQ(stats.devices_size(), 2);
  EXPECT_EQ(stats.driver_error(), "");
  EXPECT_EQ(stats.devices(0).id(), "nvml:0");
  EXPECT_EQ(stats.devices(0).name(), "NVIDIA Fake");
  EXPECT_EQ(stats.devices(0).uuid(), kFakeUuids[0]);
  EXPECT_EQ(stats.devices(0).driver_version(), "580.65.06");
  EXPECT_EQ(stats.devices(0).utilization(), 0.83);
  EXPECT_EQ(stats.devices(0).memory_total_bytes(), int64_t{143} << 30);
  EXPECT_EQ(stats.devices(0).memory_used_bytes(), int64_t{13} << 30);
  EXPECT_FALSE(stats.devices(0).has_memory_reserved_bytes()) << "the daemon does not use this GPU";
  EXPECT_EQ(stats.devices(0).temperature_celsius(), 54);
  EXPECT_EQ(stats.devices(0).power_watts(), 412.5);
  EXPECT_EQ(stats.devices(0).power_limit_watts(), 700);
  EXPECT_EQ(stats.devices(0).sm_clock_mhz(), 1980);
  EXPECT_EQ(stats.devices(1).error(), "GPU is lost");
  EXPECT_FALSE(stats.devices(1).has_utilization());
  const std::string page = HttpGet(daemon_->metrics_address(), "/metrics").body;
  EXPECT_THAT(page, HasSubstr("vrp_device_utilization_ratio{device=\"nvml:0\"} 0.83\n"));
  EXPECT_THAT(page, HasSubstr("vrp_device_up{device=\"nvml:1\"} 0\n"));
}

TEST_F(DeviceServiceTest, ReportsThatNvidiasLibraryIsMissing) {
  vrpd_.nvml_library = "libno-such-nvml.so.1";
  Start();
  const v1::ServerStats stats = Stats();
  EXPECT_EQ(stats.devices_size(), 0);
  EXPECT_THAT(stats.driver_error(), HasSubstr("libno-such-nvml.so.1: cannot open"));
  EXPECT_EQ(HttpGet(daemon_->metrics_address(), "/metrics").status, 200);
}

TEST_F(DeviceServiceTest, ReportsALostGpuAndKeepsSearching) {
  std::string reported;
  on_device_loss_ = [&](const absl::Status& lost) { reported = std::string(lost.message()); };
  Start();
  const auto health = grpc::health::v1::Health::NewStub(channel_);
  const auto serves = [&](const std::string& service) {
    Context context;
    grpc::health::v1::HealthCheckRequest request;
    grpc::health::v1::HealthCheckResponse response;
    request.set_service(service);
    EXPECT_TRUE(health->Check(&context, request, &response).ok());
    return response.status() == grpc::health::v1::HealthCheckResponse::SERVING;
  };
  const auto info = [&] {
    Context context;
    v1::ServerInfo answer;
    EXPECT_TRUE(v1::SystemService::NewStub(channel_)->GetServerInfo(&context, {}, &answer).ok());
    return answer;
  };
  EXPECT_EQ(info().device_loss(), "");
  EXPECT_TRUE(serves("vrp.v1.TrainingService"));

  const absl::Status lost = ReportDeviceLoss(absl::InternalError("an illegal memory access"));
  EXPECT_EQ(reported, std::string(lost.message()));
  EXPECT_EQ(info().device_loss(), reported);
  EXPECT_FALSE(serves("vrp.v1.TrainingService"));
  EXPECT_TRUE(serves("vrp.v1.SolverService"));
  EXPECT_TRUE(serves("")) << "the daemon stays alive";
  while (serves("readiness")) {  // checked once per second
  }
  EXPECT_THAT(HttpGet(daemon_->metrics_address(), "/readyz").body, HasSubstr("a GPU is lost"));
  const auto solver = v1::SolverService::NewStub(channel_);
  v1::SolveRequest request;
  *request.mutable_instance() = ACvrpMessage();
  request.mutable_budget()->set_nanos(20'000'000);
  EXPECT_TRUE(SolveWhenFree(*solver, request).ok());

  Start();
  EXPECT_EQ(info().device_loss(), "") << "the restart clears the loss";
}

}  // namespace
}  // namespace vrp::test
