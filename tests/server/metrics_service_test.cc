// Tests the metrics of a running daemon.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_split.h"
#include "absl/synchronization/notification.h"
#include "gmock/gmock.h"
#include "server/support/logging.h"
#include "tests/server/daemon_fixture.h"
#include "tests/server/http_get.h"
#include "tests/server/messages.h"
#include "vrp/v1/system_service.grpc.pb.h"

namespace vrp::test {
namespace {

class MetricsServiceTest : public DaemonTest {
 protected:
  MetricsServiceTest() { vrpd_.metrics_listen = "127.0.0.1:0"; }

  // Returns the value of the sample that begins with `series`, or -1 if there is none.
  double Value(const std::string& series) const {
    const HttpReply reply = HttpGet(daemon_->metrics_address(), "/metrics");
    EXPECT_EQ(reply.status, 200);
    const std::vector<std::string> lines = absl::StrSplit(reply.body, '\n');
    for (const std::string& line : lines) {
      if (line.rfind(series + " ", 0) == 0) return std::stod(line.substr(series.size() + 1));
    }
    return -1;
  }
  // Returns the series that counts the requests with an outcome.
  static std::string RequestsSeries(const std::string& rpc, const std::string& code,
                                    const std::string& reason) {
    return "vrp_requests_total{code=\"" + code + "\",reason=\"" + reason + "\",rpc=\"vrp.v1." +
           rpc + "\"}";
  }
  grpc::Status Solve(const v1::SolveRequest& request) {
    Context context;
    v1::SolveResponse response;
    return v1::SolverService::NewStub(channel_)->Solve(&context, request, &response);
  }
  static v1::SolveRequest ARequest() {
    v1::SolveRequest request;
    *request.mutable_instance() = ACvrpMessage();
    request.mutable_budget()->set_nanos(20'000'000);
    return request;
  }
};

// A clock that blocks at its second reading, when a start opens the job database.
class BlockingClock final : public Clock {
 public:
  absl::Time Now() const override {
    if (readings_++ == 1) released_.WaitForNotification();
    return absl::UnixEpoch();
  }
  absl::Time SteadyNow() const override { return vrp::SteadyNow(); }
  void Release() { released_.Notify(); }

 private:
  mutable std::atomic<int> readings_ = 0;
  absl::Notification released_;
};

// Returns a loopback address with an unused port.
std::string FreeAddress() {
  const int descriptor = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  EXPECT_EQ(bind(descriptor, reinterpret_cast<sockaddr*>(&address), size), 0);
  EXPECT_EQ(getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size), 0);
  close(descriptor);
  return Concat("127.0.0.1:", ntohs(address.sin_port));
}

TEST_F(MetricsServiceTest, ReportsAHangingStart) {
  BlockingClock clock;
  FakeTrainer trainer;
  Daemon::Options options{.vrpd = vrpd_,
                          .policy_loader = FakeLoader(),
                          .trainer = &trainer,
                          .clock = &clock,
                          .start_limit = absl::Milliseconds(1)};
  options.vrpd.listen = listen_;
  options.vrpd.state_dir = folder_.path() + "/state";
  options.vrpd.models_dir = folder_.path() + "/models";
  options.vrpd.threads = 1;
  options.vrpd.metrics_listen = FreeAddress();
  std::thread start([&] { EXPECT_TRUE(Daemon::Create(options).ok()); });
  const std::string expected = "vrp_overdue_phases_total{phase=\"start\"} 1\n";
  const auto deadline = TestDeadline();
  std::string page;
  while (page.find(expected) == std::string::npos && std::chrono::system_clock::now() < deadline) {
    page = HttpGet(options.vrpd.metrics_listen, "/metrics").body;
  }
  EXPECT_THAT(page, testing::HasSubstr(expected));
  EXPECT_THAT(HttpGet(options.vrpd.metrics_listen, "/readyz").body, testing::HasSubstr("starting"));
  clock.Release();
  start.join();
}

TEST_F(MetricsServiceTest, CountsEachRequestOnceByItsCode) {
  Start();
  const v1::SolveRequest wrong;
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(Solve(ARequest()).ok());
  for (int i = 0; i < 2; ++i) EXPECT_FALSE(Solve(wrong).ok());
  EXPECT_EQ(Value(RequestsSeries("SolverService/Solve", "OK", "ok")), 3);
  EXPECT_EQ(Value(RequestsSeries("SolverService/Solve", "INVALID_ARGUMENT", "invalid_argument")),
            2);
  EXPECT_EQ(Value("vrp_request_duration_seconds_count{rpc=\"vrp.v1.SolverService/Solve\"}"), 5);
  EXPECT_EQ(Value("vrp_requests_in_flight{rpc=\"vrp.v1.SolverService/Solve\"}"), 0);
  EXPECT_EQ(Value("vrp_solve_duration_seconds_count{strategy=\"search\"}"), 3);
  EXPECT_EQ(Value("vrp_queue_wait_seconds_count{queue=\"solve\"}"), 5);
}

TEST_F(MetricsServiceTest, ReportsTheReasonOfARefusal) {
  vrpd_.solve_queue = 1;
  vrpd_.threads = 1;
  Start();
  // Two threads solve (the minimum) and one request waits, so the daemon refuses some of eight
  // requests.
  v1::SolveRequest request = ARequest();
  request.mutable_budget()->set_nanos(300'000'000);
  std::vector<std::thread> callers;
  std::atomic<int> refused = 0;
  for (int i = 0; i < 8; ++i) {
    callers.emplace_back([&] {
      const grpc::Status status = Solve(request);
      if (status.error_code() == grpc::StatusCode::RESOURCE_EXHAUSTED) ++refused;
    });
  }
  for (std::thread& caller : callers) caller.join();
  ASSERT_GT(refused, 0);
  EXPECT_EQ(Value(RequestsSeries("SolverService/Solve", "RESOURCE_EXHAUSTED", "queue_full")),
            refused);
  EXPECT_EQ(Value(RequestsSeries("SolverService/Solve", "OK", "ok")), 8 - refused);
}

TEST_F(MetricsServiceTest, CountsACancelledStream) {
  Start();
  v1::SolveRequest request = ARequest();
  *request.mutable_instance() =
      ACvrpMessage(200);  // too large for an immediate proof of optimality
  request.mutable_budget()->set_seconds(60);
  Context context;
  const auto stream = v1::SolverService::NewStub(channel_)->StreamSolve(&context, request);
  v1::StreamSolveResponse message;
  ASSERT_TRUE(stream->Read(&message));
  EXPECT_EQ(Value("vrp_open_streams"), 1);
  EXPECT_EQ(Value("vrp_requests_in_flight{rpc=\"vrp.v1.SolverService/StreamSolve\"}"), 1);
  context.TryCancel();
  EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::CANCELLED);
  // The daemon notices the end slightly later than the caller.
  while (Value("vrp_requests_in_flight{rpc=\"vrp.v1.SolverService/StreamSolve\"}") > 0) {
  }
  EXPECT_EQ(Value(RequestsSeries("SolverService/StreamSolve", "CANCELLED", "cancelled")), 1);
}

TEST_F(MetricsServiceTest, CountsACancelledSolve) {
  Start();
  v1::SolveRequest request = ARequest();
  *request.mutable_instance() = ACvrpMessage(200);
  request.mutable_budget()->set_seconds(60);
  Context context;
  v1::SolveResponse response;
  std::thread canceller([&] {
    while (Value("vrp_requests_in_flight{rpc=\"vrp.v1.SolverService/Solve\"}") < 1) {
    }
    context.TryCancel();
  });
  const grpc::Status status =
      v1::SolverService::NewStub(channel_)->Solve(&context, request, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::CANCELLED);
  canceller.join();
  while (Value("vrp_requests_in_flight{rpc=\"vrp.v1.SolverService/Solve\"}") > 0) {
  }
  EXPECT_EQ(Value(RequestsSeries("SolverService/Solve", "CANCELLED", "cancelled")), 1);
}

// Neither a hanging load nor a call that waits for the load ends by itself.
TEST_F(MetricsServiceTest, LogsACallEndedByShutdownAsUnavailable) {
  absl::Notification loading;
  absl::Notification may_load;
  loader_ = [&](const std::string&, DeviceId) -> absl::StatusOr<std::unique_ptr<Policy>> {
    if (!loading.HasBeenNotified()) loading.Notify();
    may_load.WaitForNotification();
    return std::make_unique<NearestNeighbourPolicy>();
  };
  AddModel("net");
  Start();
  testing::internal::CaptureStderr();
  StartLogging({.level = "debug"});
  grpc::Status received;
  std::thread caller([&] {
    Context context;
    v1::LoadModelRequest request;
    v1::Model model;
    request.set_name("models/net");
    received = v1::ModelService::NewStub(channel_)->LoadModel(&context, request, &model);
    may_load.Notify();
  });
  loading.WaitForNotification();
  Stop();
  caller.join();
  EXPECT_EQ(received.error_code(), grpc::StatusCode::UNAVAILABLE) << received.error_message();
  const std::string log = testing::internal::GetCapturedStderr();
  StartLogging({});
  EXPECT_THAT(log, testing::ContainsRegex("request .*LoadModel.*UNAVAILABLE"));
}

TEST_F(MetricsServiceTest, GivesEachRequestAnIdUnlessTheCallerDoes) {
  Start();
  const auto id_of = [&](const char* given) {
    Context context;
    if (given != nullptr) context.AddMetadata("x-request-id", given);
    v1::SolveResponse response;
    v1::SolverService::NewStub(channel_)->Solve(&context, {}, &response);
    const auto& metadata = context.GetServerTrailingMetadata();
    const auto found = metadata.find("x-request-id");
    return found == metadata.end() ? std::string("none")
                                   : std::string(found->second.data(), found->second.size());
  };
  EXPECT_EQ(id_of("checkout-42"), "checkout-42");
  EXPECT_EQ(id_of(nullptr).size(), 16u);
  EXPECT_EQ(id_of("has blanks").size(), 16u);
}

TEST_F(MetricsServiceTest, ReturnsStatisticsByGetServerStats) {
  Start();
  EXPECT_TRUE(Solve(ARequest()).ok());
  EXPECT_FALSE(Solve({}).ok());
  Context context;
  v1::ServerStats stats;
  const grpc::Status status =
      v1::SystemService::NewStub(channel_)->GetServerStats(&context, {}, &stats);
  ASSERT_TRUE(status.ok()) << status.error_message();
  const v1::RpcStats& solve = stats.rpcs(0);
  EXPECT_EQ(solve.rpc(), "vrp.v1.SolverService/Solve");
  ASSERT_EQ(solve.outcomes_size(), 2);
  EXPECT_EQ(solve.outcomes(0).requests() + solve.outcomes(1).requests(), 2);
  EXPECT_EQ(solve.duration().count(), 2);
  int64_t in_buckets = 0;
  for (const auto& bucket : solve.duration().buckets()) in_buckets += bucket.count();
  EXPECT_EQ(in_buckets, 2);
  ASSERT_EQ(stats.solves_size(), 1);
  EXPECT_EQ(stats.solves(0).strategy(), "search");
  EXPECT_EQ(stats.queues(0).queue(), "solve");
  EXPECT_EQ(stats.queues(0).capacity(), 64);
  EXPECT_GT(stats.process().resident_bytes(), 0);
  EXPECT_EQ(stats.not_ready_size(), 0);
}

TEST_F(MetricsServiceTest, SetsTheLogLevelAndShowsIt) {
  Start();
  const auto stub = v1::SystemService::NewStub(channel_);
  const auto set = [&](v1::LogLevel level, v1::SetLogLevelResponse* response) {
    Context context;
    v1::SetLogLevelRequest request;
    request.set_level(level);
    return stub->SetLogLevel(&context, request, response);
  };
  v1::SetLogLevelResponse response;
  ASSERT_TRUE(set(v1::LOG_LEVEL_ERROR, &response).ok());
  const v1::LogLevel before = response.previous_level();
  Context context;
  v1::ServerInfo info;
  ASSERT_TRUE(stub->GetServerInfo(&context, {}, &info).ok());
  EXPECT_EQ(info.log_level(), v1::LOG_LEVEL_ERROR);
  EXPECT_EQ(info.metrics_address(), daemon_->metrics_address());
  EXPECT_EQ(info.metrics_url(), Concat("http://", daemon_->metrics_address(), "/metrics"));
  ASSERT_TRUE(set(before, &response).ok());
  EXPECT_EQ(response.previous_level(), v1::LOG_LEVEL_ERROR);
  EXPECT_EQ(FieldOf(set(v1::LOG_LEVEL_UNSPECIFIED, &response)), "level");
  EXPECT_EQ(FieldOf(set(static_cast<v1::LogLevel>(99), &response)), "level");
}

TEST_F(MetricsServiceTest, ShowsJobsAndModels) {
  AddModel("there");
  Start(std::make_unique<FakeTrainer>(5, 3));
  const auto stub = v1::TrainingService::NewStub(channel_);
  v1::CreateTrainingJobRequest request;
  request.mutable_spec()->set_config_yaml(
      "name: tiny\nmodel: ptrnet\nproblem: {kind: cvrp, customers: 5}\n"
      "training: {method: reinforce, epochs: 1, batches_per_epoch: 5, batch_size: 2}\n");
  v1::TrainingJob job;
  Context context;
  const grpc::Status created = stub->CreateTrainingJob(&context, request, &job);
  ASSERT_TRUE(created.ok()) << created.error_message();
  const std::string step = "vrp_training_step{job=\"" + job.name() + "\"}";
  while (Value(step) < 2) {
  }
  EXPECT_EQ(Value("vrp_jobs{kind=\"training\",state=\"RUNNING\"}"), 1);
  EXPECT_EQ(Value("vrp_training_planned_steps{job=\"" + job.name() + "\"}"), 5);
  EXPECT_EQ(Value("vrp_models"), 1);
  EXPECT_EQ(Value("vrp_models_loaded"), 0);
  trainer_->Release();
  while (Value("vrp_jobs{kind=\"training\",state=\"SUCCEEDED\"}") < 1) {
  }
  EXPECT_EQ(Value(step), -1)
      << "only running jobs have a series, so that the number of series is bounded";
}

}  // namespace
}  // namespace vrp::test
