// Tests metrics, statistics and readiness without gRPC.
#include "server/telemetry/telemetry.h"

#include <cmath>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_replace.h"
#include "absl/synchronization/notification.h"
#include "core/base/steady_time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/telemetry/health_monitor.h"
#include "server/telemetry/live_figures.h"
#include "server/telemetry/metrics_text.h"
#include "server/telemetry/watchdog_trainer.h"
#include "tests/server/http_get.h"
#include "tests/testing/paths.h"

namespace vrp {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string PageOf(const Metrics& metrics) { return MetricsText(metrics.Collect()); }

TEST(Metrics, CountsRequestsByCodeAndReason) {
  Metrics metrics;
  Metrics::Rpc& solve = metrics.ForRpc("vrp.v1.SolverService/Solve");
  for (int i = 0; i < 3; ++i) solve.RecordStart();
  solve.RecordEnd({.code = "OK", .reason = "ok", .duration = absl::Milliseconds(40)});
  solve.RecordEnd(
      {.code = "RESOURCE_EXHAUSTED", .reason = "queue_full", .duration = absl::Milliseconds(58)});
  EXPECT_EQ(&metrics.ForRpc("vrp.v1.SolverService/Solve"), &solve);
  const std::string text = PageOf(metrics);
  const std::string rpc = "rpc=\"vrp.v1.SolverService/Solve\"";
  EXPECT_THAT(text, HasSubstr("vrp_requests_in_flight{" + rpc + "} 1\n"));
  for (const char* line :
       {"code=\"OK\"", "reason=\"queue_full\"", "# TYPE vrp_requests_total counter"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
  EXPECT_THAT(text, HasSubstr("vrp_request_duration_seconds_count{" + rpc + "} 2\n"));
  EXPECT_THAT(text, HasSubstr("vrp_request_duration_seconds_bucket{" + rpc + ",le=\"0.055\"} 1\n"))
      << "this bound lies between the two durations";
  EXPECT_THAT(text, HasSubstr("vrp_request_duration_seconds_bucket{" + rpc + ",le=\"0.06\"} 2\n"));
}

TEST(Metrics, CountsRequestsInFlightOfAllRpcs) {
  Metrics metrics;
  Metrics::Rpc& solve = metrics.ForRpc("vrp.v1.SolverService/Solve");
  Metrics::Rpc& watch = metrics.ForRpc("vrp.v1.TrainingService/WatchTrainingJob");
  EXPECT_EQ(metrics.in_flight(), 0);
  solve.RecordStart();
  solve.RecordStart();
  watch.RecordStart();
  EXPECT_EQ(metrics.in_flight(), 3);
  solve.RecordEnd({.code = "OK", .reason = "ok", .duration = absl::Milliseconds(40)});
  watch.RecordEnd({.code = "CANCELLED", .reason = "gone", .duration = absl::Seconds(1)});
  EXPECT_EQ(metrics.in_flight(), 1);
}

TEST(Metrics, RecordsQueueWaitsAndSolveTimes) {
  Metrics metrics;
  metrics.QueueWaitObserver("solve")(absl::Seconds(2));
  metrics.RecordSolve("search", absl::Milliseconds(3));
  const std::string text = PageOf(metrics);
  EXPECT_THAT(text, HasSubstr("vrp_queue_wait_seconds_sum{queue=\"solve\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("vrp_solve_duration_seconds_count{strategy=\"search\"} 1\n"));
}

TEST(LiveFigures, ExportsDeviceMemory) {
  LiveFigures figures;
  figures.devices = JoinDevices(
      absl::NotFoundError("no driver"),
      {{.id = {DeviceKind::kCuda, 1}, .total = 100, .free = 60, .allocated = 30, .reserved = 35}});
  const std::string text = MetricsText(ToFamilies(figures));
  for (const char* line : {"kind=\"total\"} 100\n", "kind=\"free\"} 60\n",
                           "kind=\"allocated\"} 30\n", "kind=\"reserved\"} 35\n"}) {
    EXPECT_THAT(text, HasSubstr("vrp_device_memory_bytes{device=\"cuda:1\"," + std::string(line)));
  }
}

Job ATrainingJob(double gap) {
  Job job;
  job.id = "abc";
  job.kind = JobKind::kTraining;
  job.progress = TrainingProgress{.epoch = 2,
                                  .step = 40,
                                  .steps = 100,
                                  .loss = 1.25,
                                  .validation_cost = 6.5,
                                  .validation_gap = gap,
                                  .seconds_per_step = 0.25,
                                  .seconds_per_epoch = 30,
                                  .reference = "nearest neighbour"};
  return job;
}

TEST(LiveFigures, ExportsRunningTrainingJobs) {
  LiveFigures figures;
  figures.active_jobs = {ATrainingJob(0.05)};
  const std::string text = MetricsText(ToFamilies(figures));
  const std::string job = "job=\"trainingJobs/abc\"";
  for (const char* line :
       {"vrp_training_epoch{JOB} 2\n", "vrp_training_step{JOB} 40\n",
        "vrp_training_loss{JOB} 1.25\n", "vrp_training_steps_per_second{JOB} 4\n",
        "vrp_training_seconds_per_epoch{JOB} 30\n",
        "vrp_training_validation_gap_ratio{JOB,reference=\"nearest "
        "neighbour\"} 0.05"}) {
    EXPECT_THAT(text, HasSubstr(absl::StrReplaceAll(line, {{"JOB", job}})));
  }
}

TEST(LiveFigures, OmitsUnknownTrainingValues) {
  LiveFigures figures;
  figures.active_jobs = {ATrainingJob(std::nan(""))};
  figures.active_jobs[0].progress->seconds_per_step = std::nan("");
  figures.active_jobs[0].progress->seconds_per_epoch = std::nan("");
  const std::string text = MetricsText(ToFamilies(figures));
  EXPECT_THAT(text, Not(HasSubstr("vrp_training_validation_gap_ratio{")));
  EXPECT_THAT(text, Not(HasSubstr("vrp_training_steps_per_second{")));
  EXPECT_THAT(text, Not(HasSubstr("vrp_training_seconds_per_epoch{")));
}

TEST(ProcessFigures, ReturnsPlausibleValues) {
  const ProcessFigures figures = ReadProcessFigures();
  EXPECT_GT(figures.resident_bytes, 1 << 20);
  EXPECT_LT(figures.resident_bytes, int64_t{1} << 40);
  EXPECT_GE(figures.threads, 1);
  EXPECT_GE(figures.open_files, 3);
  EXPECT_GE(figures.cpu_seconds, 0);
}

TEST(Watchdog, ReportsOverdueWorkOnceAndAtEachDoubling) {
  Watchdog watchdog;
  const absl::Time start = absl::UnixEpoch();
  const auto at = [&](int64_t seconds) { return start + absl::Seconds(seconds); };
  const Watchdog::Watch quick(
      watchdog, {.phase = "checkpoint", .owner = "", .limit = absl::Seconds(100)}, start);
  {
    const Watchdog::Watch slow(watchdog,
                               {.phase = "solve", .owner = "x", .limit = absl::Seconds(10)}, start);
    EXPECT_TRUE(watchdog.TakeOverdue(at(10)).empty());
    const auto overdue = watchdog.TakeOverdue(at(11));
    ASSERT_EQ(overdue.size(), 1u);
    EXPECT_EQ(overdue[0].phase, "solve");
    EXPECT_EQ(overdue[0].owner, "x");
    EXPECT_EQ(overdue[0].running_for, absl::Seconds(11));
    EXPECT_TRUE(watchdog.TakeOverdue(at(20)).empty()) << "reported already";
    EXPECT_EQ(watchdog.TakeOverdue(at(21)).size(), 1u);
    EXPECT_TRUE(watchdog.TakeOverdue(at(39)).empty());
  }
  EXPECT_TRUE(watchdog.TakeOverdue(at(90)).empty()) << "the solve has ended";
  EXPECT_EQ(watchdog.TakeOverdue(at(101)).at(0).phase, "checkpoint");
}

TEST(Watchdog, ReportsWorkWatchedByItsFunction) {
  Watchdog watchdog;
  const WatchFn watch = watchdog.AsFunction();
  auto watched = BeginWatch(watch, "model load", "models/a/versions/1");
  EXPECT_TRUE(watchdog.TakeOverdue(SteadyNow() + absl::Minutes(9)).empty());
  const auto overdue = watchdog.TakeOverdue(SteadyNow() + absl::Hours(1));
  ASSERT_EQ(overdue.size(), 1u);
  EXPECT_EQ(overdue[0].phase, "model load");
  EXPECT_EQ(overdue[0].owner, "models/a/versions/1");
  watched.reset();
  EXPECT_TRUE(watchdog.TakeOverdue(SteadyNow() + absl::Hours(9)).empty());
}

// A trainer with one step that calls a function of the test.
class OneStepTrainer final : public Trainer {
 public:
  explicit OneStepTrainer(std::function<void()> in_step) : in_step_(std::move(in_step)) {}
  absl::StatusOr<TrainingResult> Train(const TrainingRequest&, const StopCondition&,
                                       TrainingObserver& observer) override {
    observer.OnPhase("training step");
    in_step_();
    observer.OnPhase("checkpoint");
    observer.OnCheckpoint(1);
    observer.OnEnd({.steps = 5});
    return TrainingResult{};
  }
  absl::Status CheckInputs(const TrainingRequest&) const override { return absl::OkStatus(); }
  absl::StatusOr<int64_t> ResumeStep(const std::string&) override { return 7; }

 private:
  const std::function<void()> in_step_;
};

class CheckpointRecorder final : public TrainingObserver {
 public:
  void OnLog(std::string_view) override {}
  void OnProgress(const TrainingProgress&) override {}
  void OnCheckpoint(int64_t step) override { checkpoint = step; }
  void OnEnd(const TrainingTotals& totals) override { steps = totals.steps; }
  int64_t checkpoint = 0;
  int64_t steps = 0;
};

TEST(WatchdogTrainer, WatchesEachPhaseAndForwardsEvents) {
  Watchdog watchdog;
  std::vector<Watchdog::Overdue> in_step;
  OneStepTrainer inner([&] { in_step = watchdog.TakeOverdue(SteadyNow() + absl::Hours(1)); });
  WatchdogTrainer trainer(inner, watchdog);
  CheckpointRecorder observer;
  TrainingRequest request;
  request.job_name = "trainingJobs/x";
  const StopCondition never(absl::InfiniteFuture(), nullptr);
  ASSERT_TRUE(trainer.Train(request, never, observer).ok());
  ASSERT_EQ(in_step.size(), 1u);
  EXPECT_EQ(in_step[0].phase, "training step");
  EXPECT_EQ(in_step[0].owner, "trainingJobs/x");
  EXPECT_EQ(observer.checkpoint, 1);
  EXPECT_EQ(observer.steps, 5);
  EXPECT_TRUE(watchdog.TakeOverdue(SteadyNow() + absl::Hours(9)).empty()) << "training has ended";
  EXPECT_EQ(trainer.ResumeStep("").value(), 7);
}

class HealthMonitorTest : public testing::Test {
 protected:
  std::unique_ptr<HealthMonitor> CreateMonitor() {
    return std::make_unique<HealthMonitor>(
        HealthMonitor::Options{.readiness = &readiness_,
                               .solve_pool = &pool_,
                               .state_dir = folder_.path(),
                               .on_ready = [this](bool ready) { reported_.push_back(ready); },
                               .interval = absl::InfiniteDuration()});
  }

  test::TempFolder folder_;
  Readiness readiness_;
  WorkPool pool_{{.threads = 1, .max_queued = 1}};
  std::vector<bool> reported_;
};

TEST_F(HealthMonitorTest, IsNotReadyWhileTheQueueStaysFull) {
  const auto monitor = CreateMonitor();
  EXPECT_EQ(reported_, std::vector<bool>{true});
  absl::Notification busy, release;
  pool_.Run([&] {
    busy.Notify();
    release.WaitForNotification();
  });
  busy.WaitForNotification();
  pool_.Run([] {});
  const absl::Time now = SteadyNow();
  monitor->Poll(now);
  monitor->Poll(now + absl::Seconds(9));
  EXPECT_EQ(reported_, std::vector<bool>{true}) << "a short burst";
  monitor->Poll(now + absl::Seconds(10));
  EXPECT_EQ(reported_, (std::vector<bool>{true, false}));
  EXPECT_THAT(readiness_.reasons(), testing::ElementsAre("the solve queue is full"));
  release.Notify();
  pool_.Close();
  monitor->Poll(now + absl::Seconds(11));
  EXPECT_EQ(reported_, (std::vector<bool>{true, false, true}));
}

TEST_F(HealthMonitorTest, IsNotReadyWhileTheStateFolderCannotBeWritten) {
  const auto monitor = CreateMonitor();
  const std::string moved = folder_.path() + "-moved";
  std::filesystem::rename(folder_.path(), moved);  // because root can write to read-only folders
  const absl::Time now = SteadyNow();
  monitor->Poll(now + absl::Seconds(11));
  EXPECT_THAT(readiness_.reasons(), testing::ElementsAre("the state folder cannot be written"));
  std::filesystem::rename(moved, folder_.path());
  monitor->Poll(now + absl::Seconds(22));
  EXPECT_TRUE(readiness_.reasons().empty());
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path())) << "the probe file is removed";
}

TEST(OverdueMonitor, CountsOverduePhases) {
  Watchdog watchdog;
  Metrics metrics;
  OverdueMonitor monitor(
      {.watchdog = &watchdog, .metrics = &metrics, .interval = absl::InfiniteDuration()});
  const Watchdog::Watch watch(watchdog, {.phase = "solve", .owner = "", .limit = absl::Seconds(1)});
  monitor.Poll(SteadyNow() + absl::Seconds(9));
  EXPECT_THAT(PageOf(metrics), HasSubstr("vrp_overdue_phases_total{phase=\"solve\"} 1\n"));
}

absl::StatusOr<std::unique_ptr<Telemetry>> Start(const std::string& listen) {
  return Telemetry::Create({.metrics_listen = listen, .started = absl::UnixEpoch()});
}

TEST(Telemetry, IsAliveAtOnceAndReadyWhileServing) {
  const auto telemetry = Start("127.0.0.1:0");
  ASSERT_TRUE(telemetry.ok()) << telemetry.status();
  const std::string address = (*telemetry)->metrics_address();
  EXPECT_EQ(HttpGet(address, "/healthz").status, 200);
  EXPECT_EQ(HttpGet(address, "/readyz").status, 503);
  EXPECT_THAT(HttpGet(address, "/readyz").body, HasSubstr("starting"));
  (*telemetry)->Serve({});
  EXPECT_EQ(HttpGet(address, "/readyz").status, 200);
  (*telemetry)->Drain();
  EXPECT_EQ(HttpGet(address, "/readyz").status, 503);
  EXPECT_EQ(HttpGet(address, "/readyz").body, "draining\n");
  EXPECT_EQ(HttpGet(address, "/healthz").status, 200) << "a draining daemon is alive";
}

TEST(Telemetry, ServesOnlyItsPages) {
  const auto telemetry = Start("127.0.0.1:0");
  ASSERT_TRUE(telemetry.ok()) << telemetry.status();
  const std::string address = (*telemetry)->metrics_address();
  const HttpReply metrics = HttpGet(address, "/metrics");
  EXPECT_EQ(metrics.status, 200);
  EXPECT_THAT(metrics.head, HasSubstr("Content-Type: text/plain; version=0.0.4"));
  EXPECT_THAT(metrics.body, HasSubstr("process_resident_memory_bytes "));
  EXPECT_THAT(metrics.body, HasSubstr("vrp_build_info{"));
  for (const char* path : {"/", "/etc/passwd", "/../../etc/passwd", "/metrics/../../etc/passwd"}) {
    const HttpReply reply = HttpGet(address, path);
    EXPECT_NE(reply.status, 500) << path;
    EXPECT_THAT(reply.body, Not(HasSubstr("root:"))) << path;
  }
  EXPECT_EQ(HttpGet(address, "/nothing").status, 404);
}

TEST(Telemetry, RefusesAPortInUse) {
  const auto first = Start("127.0.0.1:0");
  ASSERT_TRUE(first.ok()) << first.status();
  const auto second = Start((*first)->metrics_address());
  EXPECT_EQ(second.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(second.status().message()), HasSubstr((*first)->metrics_address()));
}

}  // namespace
}  // namespace vrp
