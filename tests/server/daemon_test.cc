#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <string>

#include "absl/synchronization/notification.h"
#include "gmock/gmock.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "tests/server/daemon_fixture.h"

namespace vrp::test {
namespace {

using grpc::health::v1::HealthCheckRequest;
using grpc::health::v1::HealthCheckResponse;

class DaemonLifeTest : public DaemonTest {
 protected:
  Daemon::Options OptionsFor(const std::string& state, const std::string& listen) {
    Daemon::Options options;
    options.policy_loader = FakeLoader();
    options.trainer = trainer_.get();
    options.clock = &clock_;
    options.vrpd.listen = listen;
    options.vrpd.state_dir = folder_.path() + state;
    options.vrpd.models_dir = folder_.path() + "/models";
    options.vrpd.threads = 1;
    return options;
  }
  HealthCheckResponse Health(const std::string& service) {
    Context context;
    HealthCheckRequest request;
    request.set_service(service);
    HealthCheckResponse response;
    EXPECT_TRUE(
        grpc::health::v1::Health::NewStub(channel_)->Check(&context, request, &response).ok());
    return response;
  }
  void ExpectServesUntilItStops(const std::string& service) {
    Start();
    Context context;
    HealthCheckRequest request;
    request.set_service(service);
    const auto stream = grpc::health::v1::Health::NewStub(channel_)->Watch(&context, request);
    HealthCheckResponse response;
    ASSERT_TRUE(stream->Read(&response));
    EXPECT_EQ(response.status(), HealthCheckResponse::SERVING);
    Stop();
    ASSERT_TRUE(stream->Read(&response));
    EXPECT_EQ(response.status(), HealthCheckResponse::NOT_SERVING);
  }
};

TEST_F(DaemonLifeTest, ServesHealthForItselfAndEachService) {
  Start();
  EXPECT_EQ(Health("").status(), HealthCheckResponse::SERVING);
  EXPECT_EQ(Health("vrp.v1.SolverService").status(), HealthCheckResponse::SERVING);
  EXPECT_EQ(Health("vrp.v1.TrainingService").status(), HealthCheckResponse::SERVING);
}

TEST_F(DaemonLifeTest, IsReadyUntilItStops) { ExpectServesUntilItStops("readiness"); }

TEST_F(DaemonLifeTest, ReportsItsStopToHealthWatchers) { ExpectServesUntilItStops(""); }

TEST_F(DaemonLifeTest, ReportsIdlenessOnlyWithoutJobs) {
  absl::Notification idle;
  Start(std::make_unique<FakeTrainer>(/*steps=*/5, /*hold_at=*/2));
  Context context;
  v1::CreateTrainingJobRequest request;
  request.mutable_spec()->set_config_yaml("name: fake\ntraining: {epochs: 3}\n");
  v1::TrainingJob job;
  ASSERT_TRUE(
      v1::TrainingService::NewStub(channel_)->CreateTrainingJob(&context, request, &job).ok());
  vrpd_.exit_when_idle_s = 1;
  on_idle_ = [&idle] { idle.Notify(); };
  Start(std::make_unique<FakeTrainer>(/*steps=*/5, /*hold_at=*/2));  // resumes the job
  EXPECT_FALSE(idle.WaitForNotificationWithTimeout(absl::Seconds(3)))
      << "a daemon with a job is not idle";
  trainer_->Release();
  EXPECT_TRUE(idle.WaitForNotificationWithTimeout(absl::Seconds(60)));
}

TEST_F(DaemonLifeTest, KeepsItsStateFolderPrivate) {
  Start();
  struct stat status;
  ASSERT_EQ(stat((folder_.path() + "/state").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
}

TEST_F(DaemonLifeTest, RefusesAPortOrFolderInUse) {
  Start();
  const auto same_port = Daemon::Create(OptionsFor("/second", daemon_->address()));
  EXPECT_EQ(same_port.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(same_port.status().message()), testing::HasSubstr(daemon_->address()));
  const auto same_folder = Daemon::Create(OptionsFor("/state", "127.0.0.1:0"));
  EXPECT_EQ(same_folder.status().code(), absl::StatusCode::kFailedPrecondition);
}

class UnixSocketTest : public DaemonLifeTest {
 protected:
  absl::StatusOr<std::unique_ptr<Daemon>> StartOnSocket(const std::string& state) {
    if (trainer_ == nullptr) trainer_ = std::make_unique<FakeTrainer>();
    auto daemon = Daemon::Create(OptionsFor(state, "unix:" + path_));
    channel_ = grpc::CreateChannel("unix:" + path_, grpc::InsecureChannelCredentials());
    return daemon;
  }
  // Creates the socket file that a killed daemon leaves behind.
  void LeaveDeadSocket() {
    const int descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    path_.copy(address.sun_path, sizeof(address.sun_path) - 1);
    ASSERT_EQ(bind(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    close(descriptor);
  }
  const std::string path_ = folder_.path() + "/s";
};

TEST_F(UnixSocketTest, ServesOnlyThisUser) {
  const auto daemon = StartOnSocket("/state");
  ASSERT_TRUE(daemon.ok()) << daemon.status();
  EXPECT_EQ((*daemon)->address(), "unix:" + path_);
  EXPECT_EQ(Health("").status(), HealthCheckResponse::SERVING);
  struct stat status;
  ASSERT_EQ(stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST_F(UnixSocketTest, ReplacesTheSocketOfADeadDaemon) {
  LeaveDeadSocket();
  const auto daemon = StartOnSocket("/state");
  ASSERT_TRUE(daemon.ok()) << daemon.status();
  EXPECT_EQ(Health("").status(), HealthCheckResponse::SERVING);
}

TEST_F(UnixSocketTest, KeepsTheSocketOfALiveDaemon) {
  const auto first = StartOnSocket("/state");
  ASSERT_TRUE(first.ok()) << first.status();
  const auto second = StartOnSocket("/second");
  EXPECT_EQ(second.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(second.status().message()),
              testing::HasSubstr("another process listens on unix:" + path_));
  EXPECT_EQ(Health("").status(), HealthCheckResponse::SERVING);
}

TEST_F(UnixSocketTest, KeepsOtherFilesAndNamesAMissingFolder) {
  ASSERT_TRUE(AtomicWriteFile(path_, "precious").ok());
  const auto on_a_file = StartOnSocket("/state");
  EXPECT_THAT(std::string(on_a_file.status().message()), testing::HasSubstr("but not a socket"));
  EXPECT_EQ(*ReadFile(path_), "precious");
  const auto nowhere =
      Daemon::Create(OptionsFor("/state", "unix:" + folder_.path() + "/missing/s"));
  EXPECT_THAT(std::string(nowhere.status().message()),
              testing::HasSubstr("its folder does not exist or cannot be searched: \"" +
                                 folder_.path() + "/missing\""));
}

}  // namespace
}  // namespace vrp::test
