// Runs a daemon in the process of the test, on a free loopback port. Fakes replace the trainer
// and the policies.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "grpcpp/grpcpp.h"
#include "gtest/gtest.h"
#include "server/daemon/daemon.h"
#include "tests/registry/dispatch_model_files.h"
#include "tests/server/fakes.h"
#include "tests/testing/paths.h"
#include "vrp/v1/model_service.grpc.pb.h"
#include "vrp/v1/solver_service.grpc.pb.h"
#include "vrp/v1/training_service.grpc.pb.h"

namespace vrp::test {

// Returns a deadline that is long enough for a loaded machine. No test waits for it.
inline std::chrono::system_clock::time_point TestDeadline() {
  return std::chrono::system_clock::now() + std::chrono::seconds(60);
}

// A client context with the deadline TestDeadline().
class Context : public grpc::ClientContext {
 public:
  Context() { set_deadline(TestDeadline()); }
};

inline google::rpc::BadRequest BadRequestOf(const grpc::Status& status) {
  google::rpc::Status details;
  google::rpc::BadRequest result;
  EXPECT_TRUE(details.ParseFromString(status.error_details()));
  for (const auto& any : details.details()) {
    if (any.Is<google::rpc::BadRequest>()) any.UnpackTo(&result);
  }
  return result;
}

// Returns the field of the only violation, or else the message of `status`.
inline std::string FieldOf(const grpc::Status& status) {
  const auto details = BadRequestOf(status);
  return details.field_violations_size() == 1 ? details.field_violations(0).field()
                                              : status.error_message();
}

inline grpc::Status SolveOnce(v1::SolverService::Stub& solver, const v1::SolveRequest& request,
                              v1::SolveResponse& response) {
  Context context;
  response.Clear();
  return solver.Solve(&context, request, &response);
}

// Solves a request. Retries while the daemon is too busy, because it takes time to notice that
// earlier callers have left.
inline grpc::Status SolveWhenFree(v1::SolverService::Stub& solver,
                                  const v1::SolveRequest& request) {
  v1::SolveResponse response;
  grpc::Status status;
  do {
    status = SolveOnce(solver, request, response);
  } while (status.error_code() == grpc::StatusCode::RESOURCE_EXHAUSTED);
  return status;
}

class DaemonTest : public testing::Test {
 protected:
  // Starts a daemon with `trainer` in the state folder of this test. A second call restarts the
  // daemon.
  void Start(std::unique_ptr<FakeTrainer> trainer = std::make_unique<FakeTrainer>()) {
    Stop();
    trainer_ = std::move(trainer);
    Daemon::Options options{
        .vrpd = vrpd_, .policy_loader = loader_, .trainer = trainer_.get(), .clock = &clock_};
    options.devices = devices_;
    options.vrpd.listen = listen_;
    options.vrpd.state_dir = folder_.path() + "/state";
    options.vrpd.models_dir = folder_.path() + "/models";
    options.vrpd.device = device_;
    if (options.vrpd.threads == 0) options.vrpd.threads = 1;
    options.heartbeat_interval = heartbeat_;
    options.upload_timeout = upload_timeout_;
    options.handshake_timeout = handshake_;
    options.on_device_loss = on_device_loss_;
    options.on_idle = on_idle_;
    options.drain_timeout = drain_;
    absl::StatusOr<std::unique_ptr<Daemon>> daemon = Daemon::Create(std::move(options));
    ASSERT_TRUE(daemon.ok()) << daemon.status();
    daemon_ = *std::move(daemon);
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(-1);
    // Keeps the stream's window at 64 KiB, so that the daemon soon blocks if a client does not
    // read.
    arguments.SetInt(GRPC_ARG_HTTP2_BDP_PROBE, 0);
    // Gives each test its own connection, because a restarted daemon has another port.
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    channel_ = grpc::CreateCustomChannel(daemon_->address(), grpc::InsecureChannelCredentials(),
                                         arguments);
  }
  void Stop() { daemon_ = nullptr; }
  void TearDown() override {
    if (trainer_ != nullptr) trainer_->Release();
    Stop();
  }

  // Writes a version of the model `name` to the daemon's folder of models.
  void AddModel(const std::string& name, int version = 1) {
    const std::string directory = Concat(folder_.path(), "/models/", name, "/", version);
    ASSERT_TRUE(EnsureDirectory(directory).ok());
    ASSERT_TRUE(WriteFakeModel(directory, Concat("trainingJobs/", name, version)).ok());
  }

  // Writes a dispatch model with the prize `prize` for all requests.
  void AddDispatchModel(const std::string& name, float prize = 1) {
    const std::string directory = Concat(folder_.path(), "/models/", name, "/1");
    ASSERT_TRUE(EnsureDirectory(directory).ok());
    ASSERT_TRUE(WriteDispatchModel(directory, prize).ok());
  }

  VrpdOptions vrpd_;
  std::vector<DeviceInfo> devices_;  // emulated ones, the CPU first; empty: those of the machine
  std::string device_ = "cpu";
  std::string listen_ = "127.0.0.1:0";
  PolicyLoader loader_ = FakeLoader();
  absl::Duration heartbeat_ = absl::Hours(1);
  absl::Duration upload_timeout_ = absl::Minutes(1);
  absl::Duration handshake_ = absl::Seconds(10);
  absl::Duration drain_ = absl::Milliseconds(200);
  std::function<void(const absl::Status&)> on_device_loss_;
  std::function<void()> on_idle_;
  TempFolder folder_;
  SystemClock clock_;
  std::unique_ptr<FakeTrainer> trainer_;
  std::unique_ptr<Daemon> daemon_;
  std::shared_ptr<grpc::Channel> channel_;
};

}  // namespace vrp::test
