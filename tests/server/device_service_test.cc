// Tests GPUs in the daemon's metrics, with a fake of NVIDIA's library.
#include <string>
#include <utility>
#include <vector>

#include "absl/synchronization/mutex.h"
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

  // Creates a training job on `device`. Returns its name.
  std::string Train(const std::string& device) {
    v1::CreateTrainingJobRequest request;
    request.mutable_spec()->set_config_yaml("name: fake\n");
    request.mutable_spec()->set_device(device);
    Context context;
    v1::TrainingJob job;
    const grpc::Status status =
        v1::TrainingService::NewStub(channel_)->CreateTrainingJob(&context, request, &job);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return job.name();
  }
  void EmulateTwoGpus() {
    devices_ = {{.id = {}, .name = "CPU"},
                {.id = {DeviceKind::kCuda, 0}, .name = "GPU"},
                {.id = {DeviceKind::kCuda, 1}, .name = "GPU"}};
    device_ = "auto";
    vrpd_.devices = {"auto"};
    vrpd_.threads = 4;
  }

  FakeNvml nvml_;
};

TEST_F(DeviceServiceTest, ReportsTheGpus) {
  nvml_->queries[1] = kFakeGpuIsLost;
  vrpd_.nvml_library = FakeNvmlPath();
  Start();
  v1::ServerStats stats = Stats();
  while (stats.devices_size() < 2) stats = Stats();  // the driver has not responded yet
  ASSERT_EQ(stats.devices_size(), 3) << "the CPU and two GPUs";
  EXPECT_EQ(stats.devices(0).id(), "cpu");
  EXPECT_GT(stats.devices(0).memory_total_bytes(), stats.devices(0).memory_used_bytes());
  EXPECT_EQ(stats.driver_error(), "");
  EXPECT_EQ(stats.devices(1).id(), "nvml:0");
  EXPECT_EQ(stats.devices(1).name(), "NVIDIA Fake");
  EXPECT_EQ(stats.devices(1).uuid(), kFakeUuids[0]);
  EXPECT_EQ(stats.devices(1).driver_version(), "580.65.06");
  EXPECT_EQ(stats.devices(1).utilization(), 0.83);
  EXPECT_EQ(stats.devices(1).memory_utilization(), 0.4);
  EXPECT_EQ(stats.devices(1).memory_total_bytes(), int64_t{143} << 30);
  EXPECT_EQ(stats.devices(1).memory_used_bytes(), int64_t{13} << 30);
  EXPECT_FALSE(stats.devices(1).has_memory_reserved_bytes()) << "the daemon does not use this GPU";
  EXPECT_EQ(stats.devices(1).temperature_celsius(), 54);
  EXPECT_EQ(stats.devices(1).power_watts(), 412.5);
  EXPECT_EQ(stats.devices(1).power_limit_watts(), 700);
  EXPECT_EQ(stats.devices(1).sm_clock_mhz(), 1980);
  EXPECT_EQ(stats.devices(2).error(), "GPU is lost");
  EXPECT_FALSE(stats.devices(2).has_utilization());
  const std::string page = HttpGet(daemon_->metrics_address(), "/metrics").body;
  EXPECT_THAT(page, HasSubstr("vrp_device_utilization_ratio{device=\"nvml:0\"} 0.83\n"));
  EXPECT_THAT(page, HasSubstr("vrp_device_up{device=\"nvml:1\"} 0\n"));
}

TEST_F(DeviceServiceTest, TrainsOnEveryGpuAndListsTheJobsOfEachDevice) {
  EmulateTwoGpus();
  Start(std::make_unique<FakeTrainer>(5, /*hold_at=*/2));
  const std::string first = Train("cuda:0"), second = Train("cuda:1"), third = Train("cpu");
  v1::ServerStats stats = Stats();
  const auto runs = [&stats] {
    int running = 0;
    for (const v1::ActiveJob& job : stats.active_jobs()) running += job.device().empty() ? 0 : 1;
    return running;
  };
  while (runs() < 3) stats = Stats();
  ASSERT_EQ(stats.devices_size(), 3);
  for (const auto& [device, job] :
       {std::pair(0, third), std::pair(1, first), std::pair(2, second)}) {
    ASSERT_EQ(stats.devices(device).training_jobs_size(), 1);
    EXPECT_EQ(stats.devices(device).training_jobs(0), job);
  }
  EXPECT_EQ(stats.active_jobs(0).device(), "cuda:0");
  EXPECT_EQ(stats.active_jobs(0).threads(), 2) << "a share of the host's threads";
  EXPECT_EQ(stats.active_jobs(2).threads(), 4);
  const std::string page = HttpGet(daemon_->metrics_address(), "/metrics").body;
  EXPECT_THAT(page, HasSubstr("vrp_device_training_jobs{device=\"cuda:1\"} 1\n"));
}

TEST_F(DeviceServiceTest, SpreadsNetworksOverTheGpus) {
  EmulateTwoGpus();
  absl::Mutex mutex;
  std::vector<std::string> loaded;
  loader_ = [&, inner = FakeLoader()](const std::string& folder, DeviceId device) {
    absl::MutexLock lock(&mutex);
    loaded.push_back(device.ToString());
    return inner(folder, device);
  };
  AddModel("tiny");
  Start();
  v1::LoadModelRequest request;
  request.set_name("models/tiny/versions/1");
  Context context;
  v1::Model response;
  const grpc::Status status =
      v1::ModelService::NewStub(channel_)->LoadModel(&context, request, &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  Stop();
  EXPECT_THAT(loaded, testing::ElementsAre("cuda:0", "cuda:1"));
}

TEST_F(DeviceServiceTest, RefusesDevicesThatDoNotExistAndNamesThose) {
  EmulateTwoGpus();
  Start();
  v1::CreateTrainingJobRequest request;
  request.mutable_spec()->set_config_yaml("name: fake\n");
  request.mutable_spec()->set_device("cuda:4");
  Context context;
  v1::TrainingJob job;
  const grpc::Status status =
      v1::TrainingService::NewStub(channel_)->CreateTrainingJob(&context, request, &job);
  EXPECT_EQ(FieldOf(status), "spec.device");
  EXPECT_THAT(status.error_message(),
              HasSubstr("cuda:4 does not exist; this machine has cpu, cuda:0, cuda:1"));
}

TEST_F(DeviceServiceTest, ReportsThatNvidiasLibraryIsMissing) {
  vrpd_.nvml_library = "libno-such-nvml.so.1";
  Start();
  const v1::ServerStats stats = Stats();
  EXPECT_EQ(stats.devices_size(), 1) << "the CPU";
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
